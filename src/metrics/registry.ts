export type Labels = Record<string, string>;
export type Sample = { labels?: Labels; value: number };

export type Counter = { add(labels?: Labels): void };
export type Histogram = { observe(value: number): void };

export type Registry = {
  counter(name: string, help: string): Counter;
  histogram(name: string, help: string, bounds: number[]): Histogram;
  /** Everything counted so far, in the text format that Prometheus reads. */
  render(): string;
};

/** The counters of one process. A dozen numbers need no library; the format is four rules. */
export function createRegistry(): Registry {
  const families: (() => string)[] = [];
  return {
    counter(name, help) {
      const counts = new Map<string, { labels: Labels; value: number }>();
      families.push(() => renderFamily({ name, help, type: 'counter' }, [...counts.values()]));
      return {
        add(labels = {}) {
          const id = writeLabels(labels);
          const count = counts.get(id) ?? { labels, value: 0 };
          count.value += 1;
          counts.set(id, count);
        },
      };
    },
    histogram(name, help, bounds) {
      const counts = bounds.map(() => 0);
      let [total, sum] = [0, 0];
      families.push(() => {
        const buckets = bounds.map((bound, index) => line(`${name}_bucket`, { le: String(bound) }, counts[index]!));
        const rest = [line(`${name}_bucket`, { le: '+Inf' }, total), line(`${name}_sum`, {}, sum)];
        return [heading({ name, help, type: 'histogram' }), ...buckets, ...rest, line(`${name}_count`, {}, total)].join(
          '',
        );
      });
      return {
        observe(value) {
          total += 1;
          sum += value;
          for (const [index, bound] of bounds.entries()) if (value <= bound) counts[index]! += 1;
        },
      };
    },
    render: () => families.map((family) => family()).join(''),
  };
}

type Family = { name: string; help: string; type: 'counter' | 'gauge' | 'histogram' };

export function renderFamily(family: Family, samples: Sample[]): string {
  const lines = samples.map(({ labels = {}, value }) => line(family.name, labels, value));
  return [heading(family), ...lines].join('');
}

function heading({ name, help, type }: Family): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
}

function line(name: string, labels: Labels, value: number): string {
  return `${name}${writeLabels(labels)} ${value}\n`;
}

function writeLabels(labels: Labels): string {
  const written = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return written.length === 0 ? '' : `{${written.join(',')}}`;
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
