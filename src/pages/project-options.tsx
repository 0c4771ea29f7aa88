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
