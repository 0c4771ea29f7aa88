import { EVERYONE } from '../../src/core/model.ts'
import type { SignedInProps } from '../../src/pages/layout.tsx'
import { renderProjectNew, renderProjects, type ShownProject, renderTakeOver } from '../../src/pages/projects/list.tsx'
import type { ShownMember } from '../../src/pages/projects/members.tsx'
import {
  renderMemberInvited,
  renderMemberRemove,
  renderProject,
  renderProjectDelete,
  type ProjectProps,
} from '../../src/pages/projects/project.tsx'
import type { Names } from './search-page-samples.ts'

const day = (n: number) => new Date(Date.UTC(2026, 10, n, 9, 41)).toISOString()

/** The views of projects in each of their states, by name. */
export function projectPageSamples({ person, email, application, text }: Names): Record<string, string> {
  const page: SignedInProps = {
    viewer: { name: person, email, role: 'owner' },
    csrf: 'csrf-of-the-sample',
    flash: null,
    now: day(21),
  }
  const project: ShownProject = {
    id: 'prj_1',
    name: application,
    description: text,
    role: 'manager',
    owner: person,
    documents: 6_442,
    pending: 12,
    failed: 1,
    bytes: 1_820_000_000,
    lastChangedAt: day(20),
    createdAt: day(2),
  }
  const empty = {
    ...project,
    id: 'prj_2',
    name: 'default',
    description: '',
    documents: 0,
    pending: 0,
    failed: 0,
    lastChangedAt: null,
  }
  const user = { id: 'usr_1', name: person, email }
  const members: ShownMember[] = [
    { user, role: 'manager' },
    { user: { id: 'usr_2', name: '', email: 'grace@example.com' }, role: 'writer' },
    { user: EVERYONE, role: 'reader' },
  ]
  const props: ProjectProps = {
    ...page,
    project,
    folders: [
      { folder: '', documents: 1 },
      { folder: `${text}/`, documents: 6_000 },
      ...Array.from({ length: 99 }, (_, i) => ({ folder: `${i}/`, documents: i })),
    ],
    members,
    viewerId: 'usr_1',
    isPrivate: false,
    memberForm: {},
    settingsForm: {},
  }
  return {
    projects: renderProjects({
      ...page,
      flash: { tone: 'success', text: 'The project was deleted, with its documents.' },
      projects: [project, { ...project, id: 'prj_3', role: 'reader' }, empty],
      unmanaged: { items: [{ id: 'prj_4', name: text }], nextCursor: 'abc' },
      isLater: true,
      nextCursor: 'abc',
    }),
    'projects, none': renderProjects({ ...page, projects: [], unmanaged: null, isLater: false, nextCursor: null }),
    'project, new': renderProjectNew({ ...page, form: {} }),
    'project, not created': renderProjectNew({
      ...page,
      form: { values: { name: text }, errors: { name: 'You have a project of this name.' } },
    }),
    'project, manager': renderProject(props),
    'project, writer': renderProject({ ...props, viewerId: 'usr_2', project: { ...project, role: 'writer' } }),
    'project, private': renderProject({ ...props, project: empty, members: members.slice(0, 1), isPrivate: true }),
    'project, refused': renderProject({
      ...props,
      memberForm: { values: { user: email, role: 'writer' }, errors: { user: 'Nobody on this instance has the address.' } },
    }),
    'project, not saved': renderProject({ ...props, settingsForm: { errors: { name: 'Enter a name.' } } }),
    'project, take over': renderTakeOver({ ...page, project, form: { errors: { user: 'No user has this address.' } } }),
    'project, delete': renderProjectDelete({ ...page, project: { ...project, trashed: 2 }, otherMembers: 2 }),
    'member, remove': renderMemberRemove({ ...page, project, user, isViewer: false, problem: null }),
    'member, leave refused': renderMemberRemove({
      ...page,
      project,
      user,
      isViewer: true,
      problem: 'Name another manager first.',
    }),
    'member, everyone': renderMemberRemove({ ...page, project, user: EVERYONE, isViewer: false, problem: null }),
    'member, invited': renderMemberInvited({
      ...page,
      project,
      who: email,
      link: `https://docs.example.com/setup?token=${'4fGh7KqLm2'.repeat(6)}`,
      expiresAt: day(28),
    }),
  }
}
