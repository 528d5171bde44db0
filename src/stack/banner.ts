export interface BannerFacts {
  url: string;
  temporalUi: string | undefined;
  dataDir: string;
  model: string;
  apiKey: string | undefined;
  /** The demo's room and its human, when there is a demo. */
  demo: { spaceId: string; humanId: string } | undefined;
}

/** What a person needs after the start: where everything is, and two commands to paste. */
export function banner(facts: BannerFacts): string {
  const { url, apiKey, demo } = facts;
  const rows = [
    ['Console', apiKey === undefined ? url : `${url}/#key=${encodeURIComponent(apiKey)}`],
    ['API', `${url}/v1`],
    ['Docs', `${url}/docs`],
    ...(facts.temporalUi === undefined ? [] : [['Temporal Web UI', facts.temporalUi]]),
    ...(apiKey === undefined ? [] : [['API key', apiKey]]),
    ['Model', facts.model],
    ['Data', facts.dataDir],
  ];
  const width = Math.max(...rows.map(([name = '']) => name.length)) + 2;
  const lines = rows.map(([name = '', value = '']) => `  ${name.padEnd(width)}${value}`);
  const commands = demo === undefined || apiKey === undefined ? [] : demoCommands(url, apiKey, demo);
  return ['', '  Wakeful is awake.', '', ...lines, '', ...commands].join('\n');
}

function demoCommands(url: string, apiKey: string, demo: { spaceId: string; humanId: string }): string[] {
  const body = JSON.stringify({ senderId: demo.humanId, text: 'Hello Ada' });
  const space = `${url}/v1/spaces/${demo.spaceId}`;
  return [
    '  Watch the Lobby:',
    '',
    `curl -N ${space}/events -H 'Authorization: Bearer ${apiKey}'`,
    '',
    '  Say something there, from another terminal:',
    '',
    `curl ${space}/messages -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${body}'`,
    '',
  ];
}
