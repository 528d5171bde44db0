import { renderFamily } from '../../metrics/registry.ts';
import { renderGauges } from '../../metrics/render-gauges.ts';
import { rawRoute } from '../route.ts';

export const metricsRoutes = [
  rawRoute({
    path: '/metrics',
    tag: 'Server',
    summary: 'Figures for Prometheus',
    description:
      'The gauges are of the key’s organisation; the counters are of this process alone, so scrape each API process, and expect think cycles only where a worker runs in the same process.',
    access: 'admin',
    mediaType: 'text/plain',
    async handle({ runtime, caller, streams, response }) {
      const open = renderFamily(
        { name: 'wakeful_event_streams_open', help: 'Event streams that clients hold open.', type: 'gauge' },
        [{ value: streams.count() }],
      );
      const text = `${await renderGauges(runtime.db, caller.orgId)}${open}${runtime.metrics.render()}`;
      response.set('Content-Type', 'text/plain; version=0.0.4; charset=utf-8').send(text);
    },
  }),
];
