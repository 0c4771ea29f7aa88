import { ErrorSummary, Field, Form, hasErrors, type FormState, FormButtons } from '../form.tsx'
import { html, type SignedInProps } from '../layout.tsx'
import { shortName } from '../parts.tsx'
import { paths } from '../paths.ts'
import { ProjectsPage, type ProjectRef } from './frame.tsx'

interface UnmanagedProps {
  projects: readonly ProjectRef[]
  /** True if there are more projects than these. */
  hasMore: boolean
}

/** The projects without a manager, for the owner of the instance, who sees nothing of them but their names. */
export function UnmanagedProjects({ projects, hasMore }: UnmanagedProps) {
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

export interface TakeOverProps extends SignedInProps {
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
