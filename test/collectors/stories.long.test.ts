import { testStories } from "./stories.ts";

testStories(Number(process.env.STORIES ?? 60));
