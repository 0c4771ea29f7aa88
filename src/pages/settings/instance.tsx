import type { ComponentChildren } from 'preact'
import { countOf } from '../../core/count-of.ts'
import { formatBytes } from '../../core/format-bytes.ts'
import { waitText } from '../../core/wait-text.ts'
import { html, type SignedInProps } from '../layout.tsx'
import { Code, Facts, Row, type Badge, type Fact } from '../parts.tsx'
import { paths } from '../paths.ts'
import { SettingsPage } from './frame.tsx'

type CheckStatus = 'ok' | 'degraded' | 'unavailable'

export type CheckName = 'database' | 'store' | 'index' | 'embedder' | 'reranker' | 'queue' | 'disk' | 'originals' | 'backup'

export interface InstanceProps extends SignedInProps {
  version: string
  runtime: string
  uptimeSeconds: number
  status: CheckStatus
  checks: readonly { name: CheckName; status: CheckStatus; message: string }[]
  models: {
    embedder: string
    reranker: string | null
    /** Whether Ollama answers, as a sentence. */
    ollama: string
    building: {
      model: string
      documentsDone: number
      documentsTotal: number
      secondsLeft: number | null
      waitingFor: string | null
    } | null
  }
  queue: { queued: number; processing: number; failed: number } | null
  /** In bytes; null if unknown. */
  storage: {
    folder: string
    indexes: number
    originals: number
    database: number | null
    pageImages: number | null
    free: number | null
    total: number | null
  }
  memory: { resident: number; heap: number; forSearch: number }
  users: { all: number; disabled: number }
  documents: number
}

const NAMES: Readonly<Record<CheckName, string>> = {
  database: 'Database',
  store: 'Object store',
  index: 'Index',
  embedder: 'Embedding model',
  reranker: 'Reranker',
  queue: 'Queue',
  disk: 'Disk',
  originals: 'Originals',
  backup: 'Scheduled backup',
}

/** What the owner can do about each check that fails. */
const ADVICE: Readonly<Record<CheckName, string>> = {
  database: 'Look at the disk and at the server log. If the database is damaged, restore a backup.',
  store: 'Check the object store and its credentials. docsearch continues by itself when the store answers again.',
  index: 'docsearch repairs the index by itself. If this stays, see the server log.',
  embedder: 'Start the server of the model, or change to another model. Without the model, searches use keywords only.',
  reranker: 'Results keep the order of the search. Start the server of the reranker, or set another one.',
  queue: 'docsearch continues by itself when the cause is gone.',
  disk: 'Free some space, or move the data folder to a larger disk. Empty the trash to free the space of deleted documents.',
  originals:
    'Upload the files of these documents again: the documents have a warning. To find other damage, run `docsearch doctor`.',
  backup: 'See the server log for the reason. The instance will try again.',
}

const BADGES: Readonly<Record<CheckStatus, Badge>> = {
  ok: { tone: 'good', text: 'OK' },
  degraded: { tone: 'warning', text: 'Works in part' },
  unavailable: { tone: 'bad', text: 'Unavailable' },
}

const SUMMARIES: Readonly<Record<CheckStatus, string>> = {
  ok: 'Everything works.',
  degraded: 'docsearch works in part. The checks below say what is missing.',
  unavailable: 'docsearch can answer no searches. The checks below say why.',
}

/** `/settings/instance`: the state of the instance, for its owner. */
export function renderInstance({ checks, models, queue, storage, memory, users, documents, ...page }: InstanceProps): string {
  const { version, runtime, uptimeSeconds, status } = page
  return html(
    <SettingsPage page={page} tab="Instance" lead={SUMMARIES[status]}>
      <section aria-labelledby="checks">
        <h2 id="checks">Checks</h2>
        <ul class="rows">
          {checks.map((check) => (
            <Row
              heading="h3"
              title={NAMES[check.name]}
              badges={[BADGES[check.status]]}
              facts={[
                ['State', check.message, 'alone'],
                check.status === 'ok' ? null : ['What to do', ADVICE[check.name], 'alone'],
              ]}
            />
          ))}
        </ul>
      </section>
      <Models models={models} />
      <Part id="queue" title="Documents">
        {[
          ['Documents', <Count of={documents} />],
          ['Waiting', queue === null ? 'unknown' : <Count of={queue.queued} />],
          ['In progress', queue === null ? 'unknown' : <Count of={queue.processing} />],
          ['Failed', queue === null ? 'unknown' : <Count of={queue.failed} />],
        ]}
      </Part>
      <Part id="storage" title="Disk" note="The documents are counted once for each copy of a file, as in quotas.">
        {[
          ['Data folder', <code>{storage.folder}</code>],
          ['Documents', formatBytes(storage.originals)],
          ['Indexes', formatBytes(storage.indexes)],
          ['Database', bytesOrUnknown(storage.database)],
          ['Images of pages', bytesOrUnknown(storage.pageImages)],
          [
            'Free',
            storage.total === null
              ? bytesOrUnknown(storage.free)
              : `${bytesOrUnknown(storage.free)} of ${formatBytes(storage.total)}`,
          ],
        ]}
      </Part>
      <Part id="memory" title="Memory" note="Parsers are processes of their own, with their own limits.">
        {[
          ['Main process', formatBytes(memory.resident)],
          ['JavaScript heap', formatBytes(memory.heap)],
          ['Limit for searches', formatBytes(memory.forSearch)],
        ]}
      </Part>
      <Part id="about" title="About">
        {[
          ['Version', version],
          ['Node.js', runtime],
          ['Running for', durationText(uptimeSeconds)],
          [
            'Users',
            <>
              <a href={paths.users}>{countOf(users.all, 'user')}</a>
              {users.disabled === 0 ? '' : `, ${users.disabled} disabled`}
            </>,
          ],
        ]}
      </Part>
    </SettingsPage>,
  )
}

function Models({ models: { embedder, reranker, ollama, building } }: Pick<InstanceProps, 'models'>) {
  return (
    <section aria-labelledby="models">
      <h2 id="models">Models</h2>
      <div class="boxed">
        <Facts
          facts={[
            ['Embedding model', <bdi>{embedder}</bdi>],
            ['Reranker', <bdi>{reranker ?? 'none'}</bdi>],
            ['Ollama', ollama],
            building === null ? null : ['Building an index', <Building building={building} />],
          ]}
        />
      </div>
      <p>The command line changes the embedding model. Searches use the old index until the new one is complete:</p>
      <Code label="Commands">{`docsearch models list\ndocsearch models pull embeddinggemma\ndocsearch models use embeddinggemma`}</Code>
    </section>
  )
}

function Building({ building }: { building: NonNullable<InstanceProps['models']['building']> }) {
  const { model, documentsDone, documentsTotal, secondsLeft, waitingFor } = building
  return (
    <>
      <bdi>{model}</bdi>, {documentsDone} of {countOf(documentsTotal, 'document')}
      {secondsLeft === null ? '' : `, about ${waitText(secondsLeft)} left`}{' '}
      <progress value={documentsDone} max={Math.max(1, documentsTotal)} aria-label={`Index with ${model}`} />
      {waitingFor === null ? null : <span class="hint">Waiting: {waitingFor}</span>}
    </>
  )
}

function Part({ id, title, note, children }: { id: string; title: string; note?: string; children: readonly Fact[] }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <div class="boxed">
        <Facts facts={children} />
      </div>
      {note === undefined ? null : <p class="hint">{note}</p>}
    </section>
  )
}

function Count({ of: count }: { of: number }): ComponentChildren {
  return <>{new Intl.NumberFormat('en').format(count)}</>
}

function bytesOrUnknown(bytes: number | null): string {
  return bytes === null ? 'unknown' : formatBytes(bytes)
}

function durationText(seconds: number): string {
  if (seconds < 2 * 3600) return countOf(Math.floor(seconds / 60), 'minute')
  return seconds < 2 * 86_400 ? countOf(Math.floor(seconds / 3600), 'hour') : countOf(Math.floor(seconds / 86_400), 'day')
}
