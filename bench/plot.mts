import { parse, type Spec as VegaSpec, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { type Comparison, steps } from "./commands.mts";
import { summarize } from "./statistics.mts";

/** Draws the times of all commands over the number of webhooks, as SVG. */
export async function plotOf(comparisons: readonly Comparison[]): Promise<string> {
  const values = comparisons.flatMap(({ count, results }) =>
    results.flatMap(({ contender, seconds }) =>
      steps.map((step) => ({ count, contender, step, ...summarize(seconds[step]) })),
    ),
  );
  const shared = {
    x: {
      field: "count",
      type: "quantitative",
      scale: { type: "log" },
      title: "webhooks",
      axis: { values: comparisons.map(({ count }) => count), grid: false },
    },
    color: { field: "contender", type: "nominal", title: null, sort: null },
  } as const;
  const y = { type: "quantitative", scale: { type: "log" }, title: "seconds, median" } as const;
  const spec: TopLevelSpec = {
    data: { values },
    facet: { column: { field: "step", sort: [...steps], title: null } },
    spec: {
      width: 180,
      height: 240,
      layer: [
        {
          mark: { type: "line", point: true },
          encoding: { ...shared, y: { ...y, field: "median" } },
        },
        { mark: "rule", encoding: { ...shared, y: { ...y, field: "min" }, y2: { field: "max" } } },
      ],
    },
    background: "white",
    config: { legend: { orient: "bottom", labelLimit: 0, columns: 4 }, font: "sans-serif" },
  };
  const view = new View(parse(compile(spec).spec as VegaSpec), { renderer: "none" });
  return `${await view.toSVG()}\n`;
}
