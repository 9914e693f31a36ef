/** The data of a matplotlib or plotly figure. Names are those of every language: docs/results.md. */

export type ScaleType =
  | "linear"
  | "log"
  | "symlog"
  | "logit"
  | "categorical"
  | "datetime"
  | (string & {});

/** Dates are ISO text. */
export type ChartValue = number | string | null;

export interface PointData {
  label: string;
  points: [ChartValue, ChartValue][];
  /** How many were left out, evenly, of more than 1 000. */
  omitted_points?: number;
}

export interface BarData {
  label: string;
  group: string;
  value: ChartValue;
}

export interface PieData {
  label: string;
  /** In degrees. */
  angle: number;
  radius: number;
}

export interface BoxAndWhiskerData {
  label: string;
  min: ChartValue;
  first_quartile: ChartValue;
  median: ChartValue;
  third_quartile: ChartValue;
  max: ChartValue;
  outliers: ChartValue[];
}

/** An image or a heat map. */
export interface ImageData {
  label: string;
  shape: number[];
  min: number;
  max: number;
}

interface AnyChart {
  title: string | null;
  /** One line for a reader without eyes. */
  description: string;
}

interface Axes {
  x_label: string | null;
  x_unit: string | null;
  x_ticks: ChartValue[];
  x_tick_labels: string[];
  x_scale: ScaleType;
  y_label: string | null;
  y_unit: string | null;
  y_ticks: ChartValue[];
  y_tick_labels: string[];
  y_scale: ScaleType;
}

export interface LineChart extends AnyChart, Axes {
  type: "line";
  elements: PointData[];
}

export interface ScatterChart extends AnyChart, Axes {
  type: "scatter";
  elements: PointData[];
}

export interface BarChart extends AnyChart, Axes {
  type: "bar";
  elements: BarData[];
}

export interface PieChart extends AnyChart {
  type: "pie";
  elements: PieData[];
}

export interface BoxAndWhiskerChart extends AnyChart, Axes {
  type: "box_and_whisker";
  elements: BoxAndWhiskerData[];
}

/** One chart for each axes or panel of a figure. */
export interface SuperChart extends AnyChart {
  type: "superchart";
  elements: Chart[];
}

/** What has no points in two dimensions; only images are told. */
export interface UnknownChart extends AnyChart, Partial<Axes> {
  type: "unknown";
  elements: ImageData[];
}

export type Chart =
  | LineChart
  | ScatterChart
  | BarChart
  | PieChart
  | BoxAndWhiskerChart
  | SuperChart
  | UnknownChart;

export type ChartType = Chart["type"];
