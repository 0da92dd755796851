// What the page uses of the library; the bundler leaves the rest out where it can.
export {plot, line, areaY, dot, ruleX, ruleY, tip, pointer, axisX, axisY, gridX, gridY} from "@observablehq/plot";
