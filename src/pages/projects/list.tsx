import { countOf } from '../../core/count-of.ts'
import { formatBytes } from '../../core/format-bytes.ts'
import type { ProjectRole } from '../../core/model.ts'
import { ErrorSummary, Field, Form, hasErrors, type FormState, FormButtons } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { Empty, Facts, shortName, Time } from '../parts.tsx'
import { paths } from '../paths.ts'
import { ProjectsPage, type ProjectRef, RoleBadge } from './frame.tsx'

/** A project as its members see it. */
export interface ShownProject {
  id: string
  name: string
  description: string
  role: ProjectRole
  owner: string
  documents: number
  failed: number
  pending: number
  bytes: number
  /** When a document of the project was last added, changed or deleted; null if there was none. */
  lastChangedAt: string | null
  createdAt: string
}

export interface ProjectsProps extends SignedInProps {
  projects: readonly ShownProject[]
  /** The projects without a manager, for the owner of the instance. Null on other views. */
  unmanaged: { items: readonly ProjectRef[]; nextCursor: string | null } | null
  /** True if the view shows a later part of the list. */
  isLater: boolean
  nextCursor: string | null
}

/** `/projects`. */
export function renderProjects({ projects, unmanaged, isLater, nextCursor, ...page }: ProjectsProps): string {
  const create = (
    <a class="button primary" href={paths.projectNew}>
      New project
    </a>
  )
  return html(
    <ProjectsPage
      page={page}
      title="Projects"
      back={null}
      lead="A project is a set of documents with members, who can search and read them."
      action={create}
    >
      {projects.length === 0 ? (
        <Empty title="No projects">Create one, and upload documents into it. You can share it with other users.</Empty>
      ) : (
        <ul class="cards">
          {projects.map((project) => (
            <Card project={project} />
          ))}
        </ul>
      )}
      <div class="buttons">
        {isLater && (
          <a class="button" href={paths.projects}>
            First projects
          </a>
        )}
        {nextCursor !== null && (
          <a class="button" href={`${paths.projects}?${new URLSearchParams({ cursor: nextCursor })}`}>
            More projects
          </a>
        )}
      </div>
      {unmanaged !== null && unmanaged.items.length > 0 && (
        <UnmanagedProjects projects={unmanaged.items} hasMore={unmanaged.nextCursor !== null} />
      )}
    </ProjectsPage>,
  )
}

function Card({ project }: { project: ShownProject }) {
  return (
    <li class="project-card">
      <h2>
        <a href={paths.project(project.id)}>
          <bdi>{shortName(project.name)}</bdi>
        </a>{' '}
        <RoleBadge role={project.role} />
      </h2>
      {project.description === '' ? null : (
        <p class="hint">
          <bdi>{shortDescription(project.description)}</bdi>
        </p>
      )}
      <ProjectFacts project={project} />
    </li>
  )
}

export function ProjectFacts({ project }: { project: ShownProject }) {
  return (
    <Facts
      facts={[
        ['Documents', new Intl.NumberFormat('en-GB').format(project.documents)],
        ['Size', formatBytes(project.bytes)],
        project.pending === 0 ? null : ['Not searchable yet', countOf(project.pending, 'document')],
        project.failed === 0 ? null : ['Failed', countOf(project.failed, 'document')],
        project.lastChangedAt === null ? null : ['Last change', <Time at={project.lastChangedAt} />],
        ['Owner', <bdi>{shortName(project.owner)}</bdi>],
      ]}
    />
  )
}

/** A card shows the beginning of a description, which can have 2,000 characters. */
function shortDescription(text: string): string {
  const characters = [...text]
  return characters.length <= 160 ? text : `${characters.slice(0, 159).join('')}…`
}

export interface ProjectNewProps extends SignedInProps {
  form: FormState<'name' | 'description'>
}

/** `/projects/new`. */
export function renderProjectNew({ form, ...page }: ProjectNewProps): string {
  return html(
    <ProjectsPage
      page={page}
      title="New project"
      back="list"
      lead="You manage the project. Nobody else sees it until you add members."
      failed={hasErrors(form)}
    >
      <ErrorSummary form={form} title="The project was not created" />
      <Form action={paths.projects} csrf={page.csrf} class="narrow">
        <ProjectFields form={form} autofocus />
        <FormButtons verb="Create project" cancel={paths.projects} />
      </Form>
    </ProjectsPage>,
  )
}

interface ProjectFieldsProps {
  form: FormState<'name' | 'description'>
  name?: string
  description?: string
  autofocus?: boolean
}

export function ProjectFields({ form, name = '', description = '', autofocus = false }: ProjectFieldsProps) {
  return (
    <>
      <Field name="name" label="Name" form={form} initial={name} autocomplete="off" maxLength={200} autofocus={autofocus} />
      <Field
        name="description"
        label="Description"
        form={form}
        initial={description}
        hint="All members can read it."
        autocomplete="off"
        maxLength={2000}
        lines={3}
        optional
      />
    </>
  )
}

interface UnmanagedProps {
  projects: readonly ProjectRef[]
  /** True if there are more projects than these. */
  hasMore: boolean
}

/** The projects without a manager, for the owner of the instance, who sees nothing of them but their names. */
function UnmanagedProjects({ projects, hasMore }: UnmanagedProps) {
  return (
    <section aria-labelledby="unmanaged">
      <h2 id="unmanaged">Projects without a manager</h2>
      <p>Their only manager was deleted, and they have other members. You see only their names.</p>
      <ul class="rows">
        {projects.map(({ id, name }) => (
          <li class="row">
            <div class="row-main">
              <h3>
                <bdi>{shortName(name)}</bdi>
              </h3>
            </div>
            <div class="row-actions">
              <a class="button" href={paths.projectTakeOver(id)} aria-label={`Choose a manager for ${shortName(name)}`}>
                Choose a manager
              </a>
            </div>
          </li>
        ))}
      </ul>
      {hasMore && <p class="hint">There are more. Choose managers for these, then the view shows the others.</p>}
    </section>
  )
}

interface TakeOverProps extends SignedInProps {
  project: ProjectRef
  form: FormState<'user'>
}

/** `/projects/{id}/take-over`: the owner of the instance takes over a project without a manager, or hands it to a member. */
export function renderTakeOver({ project, form, ...page }: TakeOverProps): string {
  return html(
    <ProjectsPage
      page={page}
      title="Choose a manager"
      back="list"
      lead={
        <>
          Nobody manages <bdi>{shortName(project.name)}</bdi>. The new manager can read its documents and change its members. The
          documents count towards the quotas of that user. The audit log records your choice.
        </>
      }
      failed={hasErrors(form)}
    >
      <ErrorSummary form={form} title="The project still has no manager" />
      <Form action={paths.projectTakeOver(project.id)} csrf={page.csrf} class="narrow">
        <Field
          name="user"
          label="Email of a member"
          form={form}
          hint="Leave this empty to take over the project yourself."
          autocomplete="off"
          maxLength={254}
          optional
        />
        <FormButtons verb="Make manager" cancel={paths.projects} />
      </Form>
    </ProjectsPage>,
  )
}
