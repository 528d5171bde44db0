/** The smallest value that this share of all values does not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function milliseconds(value: number): string {
  return `${value.toFixed(1)} ms`;
}

export function times(value: number): string {
  return `${value.toFixed(2)}×`;
}

export function bytes(value: number): string {
  return value < 10_000 ? `${Math.round(value)} B` : `${(value / 1_000).toFixed(1)} kB`;
}

/** `aim` is said beside its figure, kept or not: a figure without its aim reads as praise. */
export function verdict(aim: string, met: boolean): string {
  return `${aim}: ${met ? 'met' : 'NOT MET'}`;
}

/** Columns as wide as their widest cell; the first column is text, the others are figures. */
export function table(rows: string[][]): string {
  const widths = rows.reduce<number[]>(
    (sofar, row) => row.map((cell, index) => Math.max(cell.length, sofar[index] ?? 0)),
    [],
  );
  const line = (row: string[]): string =>
    row.map((cell, index) => (index === 0 ? cell.padEnd(widths[index]!) : cell.padStart(widths[index]!))).join('  ');
  const [head, ...body] = rows.map((row) => line(row).trimEnd());
  return [head, '-'.repeat(widths.reduce((sum, width) => sum + width + 2, -2)), ...body].join('\n');
}
