/** One page of a list: as many rows, behind this one. */
export type PageRequest = { limit: number; afterId?: string };

export type Page<Item> = { items: Item[]; more: boolean };

/** For queries that asked for one row more than the page holds: that row only tells that there are more. */
export function cutPage<Row, Item>(rows: Row[], limit: number, toItem: (row: Row) => Item): Page<Item> {
  return { items: rows.slice(0, limit).map(toItem), more: rows.length > limit };
}
