import { testBadServers } from "./bad-servers.ts";
import { testStories } from "./stories.ts";

const stories = Number(process.env.STORIES ?? 60);
testStories(stories);
testBadServers(stories);
