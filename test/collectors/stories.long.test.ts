import { testBadServers } from "./bad-servers.ts";
import { testStories } from "./stories.ts";

const stories = Number(process.env.STORIES ?? 60);
testStories(stories);
// More stories find ones that are not kept yet.
testBadServers(Number(process.env.STORIES ?? 8));
