// The page uses only these parts of the library. The bundler leaves out the rest as far as it can.
export {plot, line, areaY, dot, ruleX, ruleY, tip, pointer, axisX, axisY, gridX, gridY} from "@observablehq/plot";
