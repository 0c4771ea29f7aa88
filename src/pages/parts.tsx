import type { ComponentChildren } from 'preact'
import { type KeyScope, type Scope, SCOPES } from '../core/model.ts'
import type { Choice } from './form.tsx'
import { trimEnd } from '../core/trim-end.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const MINUTE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

/** Shortens an untrusted name for a prominent place, and removes the characters that change the direction of writing. */
export function shortName(name: string): string {
  const visible = [...name.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '')]
  return visible.length <= MAX_NAME ? visible.join('') : `${visible.slice(0, MAX_NAME - 1).join('')}…`
}

/** Shortens the title of a file. Some titles end with an underscored line to write on. */
export function shortTitle(title: string): string {
  return shortName(trimEnd(title, /[\s_]/))
}

/** A point in time (RFC 3339), to the day or to the minute. In UTC, because the server doesn't know the user's time zone. */
export function Time({ at, precise }: { at: string; precise?: boolean }) {
  const date = new Date(at)
  return <time dateTime={at}>{precise === true ? `${MINUTE.format(date)} UTC` : DAY.format(date)}</time>
}

const MAX_NAME = 80

interface ScopeWords {
  /** What an application can do with this scope. */
  can: string
  detail: string
}

export const SCOPE_WORDS: Readonly<Record<KeyScope, ScopeWords>> = {
  'read:documents': {
    can: 'Search and read your documents',
    detail: 'Projects, documents, their text and the original files.',
  },
  'write:documents': {
    can: 'Add, change and delete documents',
    detail: 'Upload and replace files, create and delete projects.',
  },
  'manage:keys': {
    can: 'Manage access in your name',
    detail: 'Create and revoke API keys, register applications. The owner can also manage users.',
  },
  'read:metrics': {
    can: 'Read the metrics of this instance',
    detail: 'For a monitoring system such as Prometheus. The key cannot be limited to projects.',
  },
}

/** The scopes as checkboxes, in plain words and by name. */
export function scopeChoices(scopes: readonly KeyScope[]): Choice[] {
  return scopes.map((scope) => ({
    value: scope,
    label: SCOPE_WORDS[scope].can,
    hint: `${SCOPE_WORDS[scope].detail} (${scope})`,
  }))
}

export function ScopeNames({ scopes }: { scopes: readonly KeyScope[] }) {
  return (
    <>
      {scopes.map((scope, at) => (
        <>
          {at === 0 ? null : ', '}
          <code>{scope}</code>
        </>
      ))}
    </>
  )
}

/** Shows what an application asks for, and what it doesn't get. */
export function ScopeList({ scopes, alsoDenied = [] }: { scopes: readonly Scope[]; alsoDenied?: readonly string[] }) {
  const others = SCOPES.filter((scope) => !scopes.includes(scope))
  return (
    <>
      <h2>It will be able to</h2>
      <ul class="can">
        {scopes.map((scope) => (
          <li>
            <strong>{SCOPE_WORDS[scope].can}</strong>
            <span class="hint">{SCOPE_WORDS[scope].detail}</span>
          </li>
        ))}
      </ul>
      <h2>It will not be able to</h2>
      <ul class="cannot">
        {others.map((scope) => (
          <li>{SCOPE_WORDS[scope].can}</li>
        ))}
        {alsoDenied.map((text) => (
          <li>{text}</li>
        ))}
      </ul>
    </>
  )
}

/** `alone` puts the fact on its own line. */
export type Fact = readonly [name: string, value: ComponentChildren, place?: 'alone']

/** A list of facts, each with its name. */
export function Facts({ facts }: { facts: readonly (Fact | null)[] }) {
  return (
    <dl class="facts">
      {facts
        .filter((fact) => fact !== null)
        .map(([name, value, place = '']) => (
          <div class={place}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

interface RowProps {
  /** One rank below the heading of the list. */
  heading?: 'h2' | 'h3'
  title: ComponentChildren
  badges?: readonly (Badge | null)[]
  facts: readonly (Fact | null)[]
  actions?: ComponentChildren
}

export interface Badge {
  tone: 'neutral' | 'good' | 'warning' | 'bad'
  text: string
}

/** One entry of a list: a heading, its facts, and its actions. */
export function Row({ heading: Heading = 'h2', title, badges = [], facts, actions }: RowProps) {
  return (
    <li class="row">
      <div class="row-main">
        <Heading>
          {title}
          {badges
            .filter((badge) => badge !== null)
            .map(({ tone, text }) => (
              <>
                {' '}
                <span class={`badge ${tone}`}>{text}</span>
              </>
            ))}
        </Heading>
        <Facts facts={facts} />
      </div>
      {actions === undefined ? null : <div class="row-actions">{actions}</div>}
    </li>
  )
}

/** An empty list, and what the user can do about it. */
export function Empty({ title, action, children }: { title: string; action?: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  )
}

/** A button that the script shows, and that copies the value or the text of an element. */
export function CopyButton({ of, shortcut, children = 'Copy' }: { of: string; shortcut?: string; children?: string }) {
  return (
    <button
      class="small"
      type="button"
      hidden
      data-copy={`#${of}`}
      {...(shortcut === undefined ? {} : { 'data-shortcut': shortcut })}
    >
      {children}
    </button>
  )
}

/** A value to copy. The Tab key selects all of it, and the script adds a button. */
export function Copyable({ id, label, value, hint }: { id: string; label: string; value: string; hint?: string }) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <div class="copied">
        <input
          class="code"
          id={id}
          type="text"
          value={value}
          readOnly
          spellcheck={false}
          autocomplete="off"
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        />
        <CopyButton of={id} />
      </div>
    </div>
  )
}

interface OneTimeLinkProps {
  link: string
  expiresAt: string
  /** What else ends the link, as a sentence. */
  note?: string
  /** Where the user goes after copying it. */
  next: string
}

/** The link with which a user chooses a password. No other view shows it. */
export function OneTimeLink({ link, expiresAt, note, next }: OneTimeLinkProps) {
  return (
    <>
      <Copyable
        id="link"
        label="One-time link"
        value={link}
        hint="Anyone who opens this link can choose the password. Send it in a way that only the user can read."
      />
      <p>
        The link works once, until <Time at={expiresAt} precise />. {note}
      </p>
      <Copied next={next} />
    </>
  )
}

/** The end of a view that shows a secret once. */
export function Copied({ next }: { next: string }) {
  return (
    <p>
      <a class="button primary" href={next}>
        I have copied it
      </a>
    </p>
  )
}

/** A code example. */
export function Code({ label, children }: { label: string; children: string }) {
  return (
    <pre tabIndex={0} aria-label={label} role="region">
      <code>{children}</code>
    </pre>
  )
}
