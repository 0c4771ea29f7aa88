import type { Document } from '../../contract/documents.ts'
import { formatBytes } from '../../core/format-bytes.ts'
import { lengthOf } from '../../core/location.ts'
import type { DocumentSort } from '../../core/model.ts'
import { statusBadge } from '../document/state.tsx'
import { Form } from '../form.tsx'
import { AppPage, FlashMessage, html, type SignedInProps } from '../layout.tsx'
import { Empty, Time } from '../parts.tsx'
import { paths } from '../paths.ts'
import { ProjectOptions, type ProjectChoice } from '../project-fields.tsx'
import { shortFolder } from '../search/short-paths.ts'
import { listAddress, sortedAddress, sortingOf, TABS, type ListFields, type Tab } from './fields.ts'

export interface DocumentListProps extends SignedInProps {
  fields: ListFields
  documents: readonly Document[]
  nextCursor: string | null
  projects: readonly ProjectChoice[]
  /** False if the trash is turned off, so that a deletion is for good. */
  keepsTrash: boolean
  /** What the list can't be filtered by, as a sentence. */
  error: string | null
}

/** `/documents`: all documents that the user may see, and what to do with the selected ones. */
export function renderDocumentList({
  fields,
  documents,
  nextCursor,
  projects,
  keepsTrash,
  error,
  ...page
}: DocumentListProps): string {
  return html(
    <AppPage title="Documents" failed={error !== null} place="documents" frame="with-list" {...page}>
      <main id="main" class="documents" data-drop={paths.upload}>
        <div class="heading">
          <h1>Documents</h1>
          <a class="button" href={paths.upload}>
            Upload
          </a>
        </div>
        <FlashMessage flash={page.flash} />
        <Tabs fields={fields} />
        <Filter fields={fields} projects={projects} />
        {error === null ? null : (
          <p class="notice error" role="alert">
            {error}
          </p>
        )}
        {documents.length === 0 ? (
          <Nothing fields={fields} />
        ) : (
          <Form action={paths.documentsBatch} csrf={page.csrf} class="batch" hidden={{ back: listAddress(fields) }}>
            <Actions tab={fields.tab} projects={projects} keepsTrash={keepsTrash} />
            <Table documents={documents} fields={fields} />
          </Form>
        )}
        <nav class="pages" aria-label="Pages of the list">
          {fields.cursor ? (
            <a class="button" href={listAddress({ ...fields, cursor: '' })}>
              First page
            </a>
          ) : null}
          {nextCursor === null ? null : (
            <a class="button" rel="next" href={listAddress({ ...fields, cursor: nextCursor })}>
              Next
            </a>
          )}
        </nav>
      </main>
    </AppPage>,
  )
}

function Tabs({ fields }: { fields: ListFields }) {
  return (
    <nav class="tabs" aria-label="Kinds of documents">
      {(Object.keys(TABS) as Tab[]).map((tab) => (
        <a href={listAddress({ ...fields, tab, cursor: '' })} aria-current={tab === fields.tab ? 'page' : undefined}>
          {TABS[tab]}
        </a>
      ))}
    </nav>
  )
}

function Filter({ fields, projects }: { fields: ListFields; projects: readonly ProjectChoice[] }) {
  const { tab, name = '', project = '', path = '', sort, order } = fields
  return (
    <form method="get" action={paths.documents} class="filters">
      {tab === 'all' ? null : <input type="hidden" name="tab" value={tab} />}
      {sort ? <input type="hidden" name="sort" value={sort} /> : null}
      {order ? <input type="hidden" name="order" value={order} /> : null}
      <div class="field">
        <label for="name">Name contains</label>
        <input type="search" id="name" name="name" value={name} autocomplete="off" />
      </div>
      <div class="field">
        <label for="path">Folder</label>
        <input type="text" id="path" name="path" value={path} autocomplete="off" autocapitalize="none" />
      </div>
      <div class="field">
        <label for="in-project">Project</label>
        <select id="in-project" name="project">
          <ProjectOptions projects={projects} chosen={project} />
        </select>
      </div>
      <button type="submit">Apply</button>
    </form>
  )
}

function Nothing({ fields: { tab, name, project, path, cursor } }: { fields: ListFields }) {
  const isFiltered = Boolean(name || project || path || cursor)
  return (
    <Empty
      title={isFiltered ? 'No document matches' : tab === 'all' ? 'No documents yet' : 'No documents here'}
      action={
        isFiltered ? (
          <a class="button" href={listAddress({ tab })}>
            Remove the filter
          </a>
        ) : undefined
      }
    >
      {tab === 'trash'
        ? 'Deleted and replaced documents of projects that you may write to appear here.'
        : 'Documents that match appear here.'}
    </Empty>
  )
}

/** What to do with the selected documents. Each button sends its action. */
function Actions({ tab, projects, keepsTrash }: { tab: Tab; projects: readonly ProjectChoice[]; keepsTrash: boolean }) {
  if (tab === 'trash') {
    return (
      <div class="actions" role="group" aria-label="With the selected documents">
        <Action action="restore" label="Restore" />
        <Action action="purge" label="Delete permanently" isDanger />
      </div>
    )
  }
  return (
    <div class="actions" role="group" aria-label="With the selected documents">
      {/* The first button is the one that Enter in the field presses. */}
      <span class="with-field">
        <label class="unseen" for="tags">
          Tags to add or remove, separated by commas
        </label>
        <input type="text" id="tags" name="tags" placeholder="Tags, with commas" autocomplete="off" autocapitalize="none" />
        <Action action="add_tags" label="Add tags" />
        <Action action="remove_tags" label="Remove tags" />
      </span>
      <Action action="retry" label="Read again" />
      <Action action={keepsTrash ? 'delete' : 'purge'} label={keepsTrash ? 'Delete' : 'Delete permanently'} isDanger />
      <span class="with-field">
        <label class="unseen" for="to">
          Project to move to
        </label>
        <select id="to" name="project">
          {projects.map(({ id, name }) => (
            <option value={id}>{name}</option>
          ))}
        </select>
        <Action action="move" label="Move" />
      </span>
    </div>
  )
}

function Action({ action, label, isDanger = false }: { action: string; label: string; isDanger?: boolean }) {
  return (
    <button type="submit" name="action" value={action} class={isDanger ? 'danger-quiet' : undefined}>
      {label}
    </button>
  )
}

/** The head of a column. Its link sorts the list by the column, and once more in the other order. */
function Column({
  fields,
  sort,
  label,
  isNumber = false,
}: {
  fields: ListFields
  sort: DocumentSort
  label: string
  isNumber?: boolean
}) {
  const current = sortingOf(fields)
  const isSorted = current.sort === sort && fields.tab !== 'trash'
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : undefined}
      aria-sort={isSorted ? (current.order === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      {/* The trash is always sorted by when documents were deleted. */}
      {fields.tab === 'trash' ? label : <a href={sortedAddress(fields, sort)}>{label}</a>}
    </th>
  )
}

function Table({ documents, fields }: { documents: readonly Document[]; fields: ListFields }) {
  return (
    <div class="table" role="region" aria-label="Documents" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">Select</span>
            </th>
            <Column fields={fields} sort="name" label="Name" />
            <th scope="col">Project</th>
            <Column fields={fields} sort="status" label="Status" />
            <Column fields={fields} sort="pages" label="Length" isNumber />
            <th scope="col" class="number">
              Warnings
            </th>
            <Column fields={fields} sort="size" label="Size" isNumber />
            <Column fields={fields} sort="newest" label={fields.tab === 'trash' ? 'Deleted' : 'Added'} />
          </tr>
        </thead>
        <tbody>
          {documents.map((document) => (
            <Row document={document} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ document }: { document: Document }) {
  const {
    id,
    name,
    path,
    project,
    page_count: pages,
    status,
    warnings,
    size_bytes: size,
    created_at: created,
    trashed_at: trashed,
  } = document
  const badge = statusBadge(document)
  const folder = shortFolder(path)
  return (
    <tr data-live={id} {...(status === 'queued' || status === 'processing' ? { 'data-pending': '' } : {})}>
      <td>
        <label class="unseen" for={`select-${id}`}>
          Select <bdi>{name}</bdi>
        </label>
        <input type="checkbox" id={`select-${id}`} name="ids" value={id} />
      </td>
      <td class="name">
        <a data-item href={paths.document(id)}>
          {folder === '' ? null : <bdi class="folder">{folder}</bdi>}
          <bdi>{name}</bdi>
        </a>
        {document.error === null ? null : <small>{document.error.message}</small>}
      </td>
      <td>
        <bdi>{project.name}</bdi>
      </td>
      <td>{badge === null ? 'Ready' : <span class={`badge ${badge.tone}`}>{badge.text}</span>}</td>
      <td class="number">{pages === null ? null : lengthOf(document.media_type, pages)}</td>
      <td class="number">{warnings.length === 0 ? '' : warnings.length}</td>
      <td class="number">{formatBytes(size)}</td>
      <td>
        <Time at={trashed ?? created} />
      </td>
    </tr>
  )
}
