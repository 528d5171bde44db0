import type { SpaceSummary } from './wire.ts';

type Props = { spaces: SpaceSummary[]; chosenId: string | undefined; onChoose: (spaceId: string) => void };

/** A list beside the conversation; on a phone the same choice is a native menu. The style sheet shows one of the two. */
export function SpaceList({ spaces, chosenId, onChoose }: Props) {
  return (
    <>
      <nav className="space-list" aria-label="Spaces">
        <h2>Spaces</h2>
        <ul>
          {spaces.map((space) => (
            <li key={space.id}>
              <button
                type="button"
                aria-current={space.id === chosenId ? 'true' : undefined}
                onClick={() => onChoose(space.id)}
              >
                {space.name}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <select
        className="space-menu"
        aria-label="Space"
        value={chosenId}
        onChange={(event) => onChoose(event.target.value)}
      >
        {spaces.map((space) => (
          <option key={space.id} value={space.id}>
            {space.name}
          </option>
        ))}
      </select>
    </>
  );
}
