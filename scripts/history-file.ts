import proto from '@temporalio/proto';
import type { temporal } from '@temporalio/proto';

export type History = temporal.api.history.v1.IHistory;

const { History: HistoryType } = proto.temporal.api.history.v1;

/**
 * A history as JSON that a person can read. The SDK's own `historyToJSON` needs all its packages to share one copy of
 * protobufjs, and fails with "type must be a Type" when npm installs several.
 */
export function toHistoryFile(history: History): string {
  const plain = HistoryType.toObject(HistoryType.fromObject(history), { longs: String, enums: String, bytes: String });
  return `${JSON.stringify(plain, null, 1)}\n`;
}

export function fromHistoryFile(text: string): History {
  return HistoryType.fromObject(JSON.parse(text) as object);
}
