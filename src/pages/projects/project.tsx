import { countOf } from '../../core/count-of.ts'
import { EVERYONE } from '../../core/model.ts'
import { Confirm, ErrorSummary, Form, hasErrors, type FormState } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { OneTimeLink, shortName } from '../parts.tsx'
import { paths } from '../paths.ts'
import { ProjectsPage, type ProjectRef, ROLE_WORDS } from './frame.tsx'
import { ProjectFacts, ProjectFields, type ShownProject } from './list.tsx'
import { memberName, Members, type MemberForm, type ShownMember } from './members.tsx'
import { searchAddress } from '../search/fields.ts'

export interface ProjectProps extends SignedInProps {
  project: ShownProject
  viewerId: string
  /** The first folders, and one more if the view does not show all. */
  folders: readonly ShownFolder[]
  members: readonly ShownMember[]
  /** True for the user's own project that nobody else can be a member of. */
  isPrivate: boolean
  memberForm: MemberForm
  settingsForm: FormState<'name' | 'description'>
}

/** `/projects/{id}`. Shows only what the user's role allows. */
export function renderProject(props: ProjectProps): string {
  const { project, viewerId, folders, members, isPrivate, memberForm, settingsForm, ...page } = props
  const isManager = project.role === 'manager'
  const upload = project.role === 'reader' ? undefined : paths.uploadTo(project.id)
  return html(
    <ProjectsPage
      page={page}
      title={project.name}
      back="list"
      {...(project.description !== '' && { lead: <bdi>{project.description}</bdi> })}
      failed={hasErrors(memberForm) || hasErrors(settingsForm)}
      drop={upload}
      {...(upload !== undefined && {
        action: (
          <a class="button" href={upload}>
            Upload
          </a>
        ),
      })}
    >
      <ErrorSummary form={memberForm} title="The members were not changed" />
      <ErrorSummary form={settingsForm} title="The settings were not saved" />
      <div class="boxed">
        <ProjectFacts project={project} />
      </div>
      <p>
        You are a {project.role} here. {ROLE_WORDS[project.role].you}
      </p>
      {folders.length > 0 && <Folders projectId={project.id} folders={folders} />}
      <section aria-labelledby="members">
        <h2 id="members">Members</h2>
        {isPrivate && <p>This project is private. To share documents, create another project.</p>}
        <Members
          projectId={project.id}
          csrf={page.csrf}
          members={members}
          viewerId={viewerId}
          canChange={isManager && !isPrivate}
          canInvite={page.viewer.role === 'owner'}
          form={memberForm}
        />
      </section>
      {isManager && (
        <section aria-labelledby="settings">
          <h2 id="settings">Settings</h2>
          <Form action={paths.projectSettings(project.id)} csrf={page.csrf} class="narrow">
            <ProjectFields form={settingsForm} name={project.name} description={project.description} />
            <div class="buttons">
              <button type="submit">Save</button>
              <a class="button danger-quiet" href={paths.projectDelete(project.id)}>
                Delete project
              </a>
            </div>
          </Form>
        </section>
      )}
    </ProjectsPage>,
  )
}

export interface ProjectDeleteProps extends SignedInProps {
  project: ProjectRef & { documents: number; trashed: number }
  /** How many other members lose the documents. */
  otherMembers: number
}

/** Asks before a project is deleted. */
export function renderProjectDelete({ project, otherMembers, ...page }: ProjectDeleteProps): string {
  return html(
    <ProjectsPage page={page} title="Delete this project?" back={project}>
      <p>
        <strong>
          <bdi>{project.name}</bdi>
        </strong>{' '}
        will be deleted with its {countOf(project.documents, 'document')}
        {project.trashed > 0 && ` and ${countOf(project.trashed, 'document')} in the trash`}
        {otherMembers === 0 ? '.' : `, also for ${countOf(otherMembers, 'other member')}.`} This cannot be undone.
      </p>
      <Confirm
        action={paths.projectDelete(project.id)}
        csrf={page.csrf}
        verb="Delete project"
        cancel={paths.project(project.id)}
      />
    </ProjectsPage>,
  )
}

export interface MemberRemoveProps extends SignedInProps {
  project: ProjectRef
  user: ShownMember['user']
  isViewer: boolean
  /** Why the last attempt was refused; null before the first one. */
  problem: string | null
}

/** Asks before a member loses access. */
export function renderMemberRemove({ project, user, isViewer, problem, ...page }: MemberRemoveProps): string {
  const id = user === EVERYONE ? EVERYONE : user.id
  const who = memberName(user)
  return html(
    <ProjectsPage
      page={page}
      title={isViewer ? 'Leave this project?' : 'Remove this member?'}
      back={project}
      failed={problem !== null}
    >
      <ErrorSummary form={{ message: problem }} title={isViewer ? 'You are still a member' : 'The member was not removed'} />
      <p>
        {isViewer ? (
          'You will lose access to all documents of the project at once. A manager can add you again.'
        ) : user === EVERYONE ? (
          'All users who are not members themselves will lose access at once.'
        ) : (
          <>
            <strong>
              <bdi>{who}</bdi>
            </strong>{' '}
            will lose access at once, unless everyone is a member.
          </>
        )}
      </p>
      <Confirm
        action={paths.projectMemberRemove(project.id)}
        csrf={page.csrf}
        verb={isViewer ? 'Leave project' : 'Remove member'}
        cancel={paths.project(project.id)}
      >
        <input type="hidden" name="user" value={id} />
      </Confirm>
    </ProjectsPage>,
  )
}

export interface MemberInvitedProps extends SignedInProps {
  project: ProjectRef
  who: string
  /** No other view shows it. */
  link: string
  expiresAt: string
}

/** Shows the link of an invitation that came with a membership, once. */
export function renderMemberInvited({ project, who, link, expiresAt, ...page }: MemberInvitedProps): string {
  return html(
    <ProjectsPage page={page} title="Invitation link" back={project}>
      <div class="notice success" role="status">
        <p>
          <strong>
            <bdi>{who}</bdi>
          </strong>{' '}
          had no account. docsearch created one and added it to <bdi>{shortName(project.name)}</bdi>. Copy this link now: it is
          not shown again.
        </p>
      </div>
      <OneTimeLink link={link} expiresAt={expiresAt} next={paths.project(project.id)} />
    </ProjectsPage>,
  )
}

/** The view shows at most this many folders. */
export const MAX_SHOWN_FOLDERS = 100

/** A first folder of paths, such as `notes/`. The empty folder stands for documents outside of folders. */
interface ShownFolder {
  folder: string
  documents: number
}

/** The folders of a project. Each leads to a search in it. */
function Folders({ projectId, folders }: { projectId: string; folders: readonly ShownFolder[] }) {
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
