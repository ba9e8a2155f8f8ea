import { testBadServers } from "./bad-servers.ts";
import { testStories } from "./stories.ts";

// As many as two minutes allow. More with `npm run stories`.
const more = process.env.STORIES;
testStories(Number(more ?? 50));
testBadServers(Number(more ?? 40));
