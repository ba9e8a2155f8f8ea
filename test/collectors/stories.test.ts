import { testBadServers } from "./bad-servers.ts";
import { testStories } from "./stories.ts";

testStories(15);
testBadServers(8);
