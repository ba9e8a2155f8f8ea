import { testStories } from "./stories.ts";

testStories(15);
