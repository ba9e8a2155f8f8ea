import { testBadServers } from "./bad-servers.ts";
import { testStories } from "./stories.ts";

// As many as a minute allows. More with `npm run stories`.
const more = process.env.STORIES;
testStories(Number(more ?? 25));
testBadServers(Number(more ?? 20));
