import { Choices, type FormState } from './form.tsx'

export interface ProjectChoice {
  id: string
  name: string
}

interface ProjectOptionsProps {
  projects: readonly ProjectChoice[]
  /** The ID or name of the project in the address. It stays visible if the user has no such project. Empty for all projects. */
  chosen: string
}

/** The options of a list in which the user chooses one of their projects, or all. */
export function ProjectOptions({ projects, chosen }: ProjectOptionsProps) {
  const found = projects.find(({ id }) => id === chosen) ?? projects.find(({ name }) => name === chosen)
  return (
    <>
      <option value="">All projects</option>
      {projects.map(({ id, name }) => (
        <option value={id} selected={id === found?.id}>
          {name}
        </option>
      ))}
      {chosen === '' || found !== undefined ? null : (
        <option value={chosen} selected>
          {chosen}
        </option>
      )}
    </>
  )
}

/** A project to which access can be limited. */
interface LimitChoice {
  id: string
  name: string
  owner: string
}

export interface ProjectLimitProps {
  form: FormState<'reach' | 'projects'>
  /** The projects that the user is a member of. */
  projects: readonly LimitChoice[]
  /** IDs of the ticked projects. */
  chosen: readonly string[]
}

/** Fields with which a user limits a key or an application to some projects. A user without projects sees none. */
export function ProjectLimit({ form, projects, chosen }: ProjectLimitProps) {
  if (projects.length === 0) return null
  return (
    <>
      <Choices
        name="reach"
        label="Which projects it may use"
        type="radio"
        form={form}
        choices={[
          { value: 'all', label: 'All your projects', hint: 'This includes projects that you become a member of later.' },
          { value: 'some', label: 'Only the projects that you tick', hint: 'It sees no other project.' },
        ]}
        chosen={[form.values?.reach ?? 'all']}
      />
      <details open={form.values?.reach === 'some' || chosen.length > 0}>
        <summary>Projects</summary>
        <Choices
          name="projects"
          label="Projects"
          type="checkbox"
          form={form}
          choices={projects.map(({ id, name, owner }) => ({ value: id, label: name, hint: `Owner: ${owner}` }))}
          chosen={chosen}
        />
      </details>
    </>
  )
}
