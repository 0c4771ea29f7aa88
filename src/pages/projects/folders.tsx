import { countOf } from '../../core/count-of.ts'
import { shortName } from '../parts.tsx'
import { searchAddress } from '../search/fields.ts'

/** The view shows at most this many folders. */
export const MAX_SHOWN_FOLDERS = 100

/** A first folder of paths, such as `notes/`. The empty folder stands for documents outside of folders. */
export interface ShownFolder {
  folder: string
  documents: number
}

/** The folders of a project. Each leads to a search in it. */
export function Folders({ projectId, folders }: { projectId: string; folders: readonly ShownFolder[] }) {
  const shown = folders.slice(0, MAX_SHOWN_FOLDERS)
  return (
    <section aria-labelledby="folders">
      <h2 id="folders">Folders</h2>
      <ul class="folders boxed">
        {shown.map(({ folder, documents }) => (
          <li>
            {folder === '' ? (
              'Outside of folders'
            ) : (
              <a href={searchAddress({ project: projectId, path: folder })}>
                <bdi>{shortName(folder)}</bdi>
              </a>
            )}{' '}
            <span class="hint">{countOf(documents, 'document')}</span>
          </li>
        ))}
      </ul>
      {folders.length > shown.length && <p class="hint">The project has more folders. These are the first ones by name.</p>}
    </section>
  )
}
