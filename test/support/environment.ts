// Jest's Node.js environment with a plain global object. Jest uses a proxy, through which every `Math` or `Number` is
// looked up: arithmetic is then 20 to 80 times slower.
import vm from "node:vm";
import { TestEnvironment } from "jest-environment-node";

/** The environment of every test file. */
export default class PlainGlobals extends TestEnvironment {
  constructor(...parameters: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...parameters);
    } finally {
      vm.createContext = createContext;
    }
  }
}
