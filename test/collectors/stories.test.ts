import { testBadServers } from "./bad-servers.ts";
import { testStories } from "./stories.ts";

// The first ones of the long tests.
testStories(6);
testBadServers(4);
