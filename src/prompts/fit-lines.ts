/** Those whose lines fit into so many characters. One that is too long gives way to shorter ones behind it. */
export function fitLines<Item>(items: Item[], toLine: (item: Item) => string, room: number): Item[] {
  let left = room;
  return items.filter((item) => {
    const length = toLine(item).length + 1; // its line break
    if (length > left) return false;
    left -= length;
    return true;
  });
}
