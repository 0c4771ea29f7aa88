import { Choices, type FormState } from './form.tsx'

/** A project to which access can be limited. */
export interface ProjectChoice {
  id: string
  name: string
  owner: string
}

export interface ProjectLimitProps {
  form: FormState<'reach' | 'projects'>
  /** The projects that the user is a member of. */
  projects: readonly ProjectChoice[]
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
