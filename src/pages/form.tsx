import type { ComponentChildren } from 'preact'

/** What the user sent and what is wrong with it; empty for a new form. Never contains a password. */
export interface FormState<Name extends string> {
  values?: Partial<Record<Name, string>>
  /** One sentence for each field with an error. */
  errors?: Partial<Record<Name, string>>
  /** An error that belongs to no single field. */
  message?: string | null
}

export function hasErrors(form: FormState<string>): boolean {
  return form.message != null || Object.values(form.errors ?? {}).some((error) => error !== undefined)
}

interface FormProps {
  action: string
  csrf: string
  /** Hidden fields. */
  hidden?: Record<string, string>
  class?: string
  id?: string
  /** The form has files. The token comes before them. */
  hasFiles?: boolean
  children: ComponentChildren
}

/** A form that is posted with its CSRF token. All forms that change something use it. */
export function Form({ action, csrf, hidden = {}, class: className, id, hasFiles, children }: FormProps) {
  return (
    <form
      method="post"
      action={action}
      class={className}
      id={id}
      {...(hasFiles === true ? { enctype: 'multipart/form-data' as const } : {})}
    >
      <input type="hidden" name="csrf" value={csrf} />
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  )
}

/** The errors of a form, at the top of the page and with the focus. Each error links to its field. */
export function ErrorSummary({ form, title }: { form: FormState<string>; title: string }) {
  if (!hasErrors(form)) return null
  const errors = Object.entries(form.errors ?? {}).filter(([, error]) => error !== undefined)
  return (
    <div class="notice error" role="alert" tabIndex={-1} autofocus aria-labelledby="error-title">
      <h2 id="error-title">{title}</h2>
      {form.message == null ? null : <p>{form.message}</p>}
      {errors.length === 0 ? null : (
        <ul>
          {errors.map(([name, error]) => (
            <li>
              <a href={`#${name}`}>{error}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

interface FieldProps<Name extends string> {
  /** Name and `id` of the field. Unique on its page. */
  name: Name
  label: string
  form: FormState<Name>
  type?: 'text' | 'email' | 'password'
  /** Value before the user has sent anything. */
  initial?: string
  hint?: string
  autocomplete: string
  optional?: boolean
  minLength?: number
  maxLength?: number
  /** Makes the field a text area with this number of lines. */
  lines?: number
  code?: boolean
  autofocus?: boolean
  readonly?: boolean
}

/** A labelled input. Screen readers read its hint and its error with it. */
export function Field<Name extends string>(props: FieldProps<Name>) {
  const { name, label, form, type = 'text', initial = '', hint, autocomplete, optional, lines } = props
  const error = form.errors?.[name]
  const shared = present({
    id: name,
    name,
    autocomplete,
    required: optional !== true,
    autofocus: props.autofocus === true && !hasErrors(form),
    readOnly: props.readonly === true,
    minLength: props.minLength,
    maxLength: props.maxLength,
    class: props.code === true ? 'code' : undefined,
    spellcheck: props.code === true ? false : undefined,
    autocapitalize: props.code === true || type === 'email' ? ('none' as const) : undefined,
    'aria-describedby': describedBy(name, hint, error),
    'aria-invalid': error === undefined ? undefined : true,
  })
  const value = form.values?.[name] ?? initial
  const control =
    type === 'password' ? (
      <input {...shared} type="password" />
    ) : type === 'email' ? (
      <input {...shared} type="email" value={value} />
    ) : lines === undefined ? (
      <input {...shared} type="text" value={value} />
    ) : (
      <textarea {...shared} rows={lines}>
        {value}
      </textarea>
    )
  return (
    <div class={error === undefined ? 'field' : 'field invalid'}>
      <label for={name}>
        {label}
        {optional === true ? <small> optional</small> : null}
      </label>
      <Hint name={name} hint={hint} />
      {control}
      <FieldError name={name} error={error} />
    </div>
  )
}

export interface Choice {
  value: string
  label: string
  hint?: string
}

interface ChoicesProps<Name extends string> {
  name: Name
  label: string
  form: FormState<Name>
  choices: readonly Choice[]
  /** Values of the selected choices. */
  chosen: readonly string[]
  hint?: string
}

/** Checkboxes or radio buttons with explanations. */
export function Choices<Name extends string>(props: ChoicesProps<Name> & { type: 'checkbox' | 'radio' }) {
  const { name, label, form, choices, chosen, hint, type } = props
  const error = form.errors?.[name]
  return (
    <fieldset class={error === undefined ? 'field' : 'field invalid'} aria-describedby={describedBy(name, hint, error)}>
      <legend>{label}</legend>
      <Hint name={name} hint={hint} />
      <div class="choices">
        {choices.map((choice, at) => {
          const id = at === 0 ? name : `${name}-${at + 1}`
          return (
            <div class="choice">
              <input
                type={type}
                id={id}
                name={name}
                value={choice.value}
                checked={chosen.includes(choice.value)}
                aria-describedby={choice.hint === undefined ? undefined : `${id}-about`}
              />
              <label for={id}>{choice.label}</label>
              {choice.hint === undefined ? null : (
                <p class="hint" id={`${id}-about`}>
                  {choice.hint}
                </p>
              )}
            </div>
          )
        })}
      </div>
      <FieldError name={name} error={error} />
    </fieldset>
  )
}

/** A drop-down list. */
export function Select<Name extends string>({ name, label, form, choices, chosen, hint }: ChoicesProps<Name>) {
  const error = form.errors?.[name]
  return (
    <div class={error === undefined ? 'field' : 'field invalid'}>
      <label for={name}>{label}</label>
      <Hint name={name} hint={hint} />
      <select id={name} name={name} aria-describedby={describedBy(name, hint, error)}>
        {choices.map(({ value, label: text }) => (
          <option value={value} selected={chosen.includes(value)}>
            {text}
          </option>
        ))}
      </select>
      <FieldError name={name} error={error} />
    </div>
  )
}

/** Removes undefined attributes, because the element types don't accept them. */
function present<Attributes extends object>(
  attributes: Attributes,
): { [Key in keyof Attributes]?: Exclude<Attributes[Key], undefined> } {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Attributes
}

function describedBy(name: string, hint: string | undefined, error: string | undefined): string | undefined {
  const ids = [hint === undefined ? null : `${name}-hint`, error === undefined ? null : `${name}-error`].filter(
    (id) => id !== null,
  )
  return ids.length === 0 ? undefined : ids.join(' ')
}

function Hint({ name, hint }: { name: string; hint: string | undefined }) {
  return hint === undefined ? null : (
    <p class="hint" id={`${name}-hint`}>
      {hint}
    </p>
  )
}

function FieldError({ name, error }: { name: string; error: string | undefined }) {
  return error === undefined ? null : (
    <p class="field-error" id={`${name}-error`}>
      {error}
    </p>
  )
}

interface ConfirmProps {
  action: string
  csrf: string
  /** Label of the button. */
  verb: string
  /** Address of the Cancel link. */
  cancel: string
  children?: ComponentChildren
}

/** Asks again before an action that can't be undone. */
export function Confirm({ action, csrf, verb, cancel, children }: ConfirmProps) {
  return (
    <Form action={action} csrf={csrf}>
      {children}
      <FormButtons verb={verb} cancel={cancel} tone="danger" />
    </Form>
  )
}

interface FormButtonsProps extends Pick<ConfirmProps, 'verb' | 'cancel'> {
  tone?: 'primary' | 'danger'
}

/** The end of a form: the button that sends it, and a way back. */
export function FormButtons({ verb, cancel, tone = 'primary' }: FormButtonsProps) {
  return (
    <div class="buttons">
      <button class={tone} type="submit">
        {verb}
      </button>
      <a class="button" href={cancel}>
        Cancel
      </a>
    </div>
  )
}
