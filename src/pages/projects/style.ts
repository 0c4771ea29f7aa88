/** The views of projects. */
export const PROJECTS_STYLE = `
.projects { max-width: 50rem; margin: 0 auto; padding: 2.5rem 1.5rem 5rem; display: grid; gap: 1.5rem; }
.projects > * { min-width: 0; }
.projects > section { display: grid; gap: 1rem; padding-top: 2rem; border-top: 1px solid var(--line); }
.projects > section > * { min-width: 0; }
.folders > li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .15rem 1rem; padding: .5rem 0; font-size: .875rem; }
.folders > li + li { border-top: 1px solid var(--line); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1rem; }
.project-card { display: grid; gap: .5rem; align-content: start; padding: 1rem 1.125rem; border: 1px solid var(--line); border-radius: 12px; background: var(--raised); }
.project-card > * { min-width: 0; }
.member-form { grid-template-columns: minmax(0, 1fr) auto; gap: .5rem; align-items: center; }
.member-form select { min-width: 7rem; }
@media (max-width: 48rem) {
  .projects { padding: 1.25rem 1rem 4rem; }
}
`
