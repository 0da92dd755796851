// What the page uses of the library; the bundler leaves the rest out where it can.
export {plot, line, areaY, dot, axisX, axisY, gridX, gridY, frame} from "@observablehq/plot";
