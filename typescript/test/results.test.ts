/** What a run shows, as data: values, tables, figures. */
import assert from "node:assert/strict";
import { after, test } from "node:test";

import { Cellblock, type Chart, Execution, Result } from "cellblock";

import { sandboxFor } from "./support.js";

const engine = new Cellblock();
after(() => engine.close());

/** One line for any chart: the type narrows its elements. */
function firstElement(chart: Chart): unknown {
  switch (chart.type) {
    case "line":
    case "scatter":
      return chart.elements[0]?.points[0];
    case "bar":
      return chart.elements[0]?.value;
    case "pie":
      return chart.elements[0]?.angle;
    case "box_and_whisker":
      return chart.elements[0]?.median;
    case "superchart":
      return chart.elements.map(firstElement);
    case "unknown":
      return chart.elements[0]?.shape;
  }
}

test("charts and tables come as data", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const execution = await sandbox.runCode(
    "import matplotlib.pyplot as plt, pandas as pd\n" +
      "plt.bar(['a', 'b'], [1, 2]); plt.title('Two')\n" +
      "pd.DataFrame({'a': [1]})",
  );
  assert.match(execution.png ?? "", /^iVBOR/);
  assert.deepEqual([execution.chart?.type, execution.chart?.title], ["bar", "Two"]);
  const [figure, table] = execution.results;
  assert.deepEqual([figure?.isMainResult, table?.isMainResult], [false, true]);
  assert.match(table?.html ?? "", /<table/);
  assert.equal(table?.text, execution.text);
  assert.deepEqual(table?.formats().sort(), ["html", "text"]);
});

test("every kind of chart has its elements", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const { chart } = await sandbox.runCode(
    "import matplotlib.pyplot as plt\n" +
      "_, axes = plt.subplots(2, 3)\na = axes.flat\n" +
      "a[0].plot([1, 2], [3, 4]); a[1].scatter([1], [5]); a[2].bar(['x'], [6])\n" +
      "a[3].pie([1, 3]); a[4].boxplot([1, 2, 9]); a[5].imshow([[1, 2, 3]])",
  );
  assert.ok(chart);
  assert.deepEqual(firstElement(chart), [[1, 3], [1, 5], 6, 90, 2, [1, 3]]);
});

test("values have the formats that they offer", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const { results, png } = await sandbox.runCode(
    "from IPython.display import HTML, Markdown, JSON, SVG, Latex\n" +
      "for one in (HTML('<b>x</b>'), Markdown('*x*'), JSON({'a': [1, None]}), Latex('$x$'),\n" +
      "            SVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')): display(one)",
  );
  const [html, markdown, json, latex, svg] = results;
  assert.equal(html?.html, "<b>x</b>");
  assert.equal(markdown?.markdown, "*x*");
  assert.deepEqual(json?.json, { a: [1, null] });
  assert.equal(latex?.latex, "$x$");
  assert.match(svg?.svg ?? "", /<svg/);
  assert.deepEqual([html?.png, html?.chart, png], [undefined, undefined, undefined]);
});

test("results have the JSON form of every language", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  const execution = await sandbox.runCode("x = 1\nprint('out')\nx");
  const json = JSON.parse(JSON.stringify(execution));
  assert.deepEqual(
    [json.status, json.text, json.stdout, json.exit_code, json.variables[0].name],
    ["ok", "1", "out\n", 0, "x"],
  );
  assert.deepEqual(new Execution(json), execution);
  const shown = { is_main_result: false, mime: { "a/b": "c" }, chart: null };
  for (const data of [shown, { ...shown, display_id: "d", operation: "update" as const }]) {
    assert.deepEqual(new Result(data).toJSON(), data);
    assert.deepEqual(new Result(data).formats(), ["a/b"]);
  }
});

test("changes and files are told", async (t) => {
  const sandbox = await sandboxFor(t, engine);
  await sandbox.runCode("x = 1; y = 2");
  const { changes, files, usage, variablesSummary } = await sandbox.runCode(
    "x = 3; del y; z = 4; open('new.csv', 'w').write('a'); None",
  );
  const names = (list: { name: string }[]): string[] => list.map(({ name }) => name);
  assert.deepEqual(
    [names(changes.added), names(changes.changed), names(changes.removed)],
    [["z"], ["x"], ["y"]],
  );
  assert.deepEqual(files.created, [{ path: "new.csv", size: 1, mime: "text/csv" }]);
  assert.match(variablesSummary, /^z: int = 4$/m);
  assert.ok(usage.wallMs > 0 && usage.peakMemoryBytes > 1_000_000);
});
