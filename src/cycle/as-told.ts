type Row = { status: string; output: object | null; told: object | null };

/** A call as the model saw it in its cycle, whatever became of it since. */
export function asTold<Call extends Row>(call: Call): Call {
  return call.told === null ? call : { ...call, status: 'done', output: call.told };
}
