import type { Context } from './context.ts'

/** An option of a command. `T` is what `run` gets for it. */
export interface OptionSpec<T> {
  /** In commander's notation: `-n, --limit <number>`. */
  readonly flags: string
  readonly description: string
  /** What `run` gets when the option is not given. */
  readonly fallback: T
  /** Turns a given value into the option's value; a switch has none. Throws commander's InvalidArgumentError. */
  readonly parse?: (value: string, previous: T | undefined) => T
  readonly choices?: readonly string[]
  readonly isRequired?: boolean
  /** Options that can't be given together with this one, in camel case. */
  readonly conflictsWith?: readonly string[]
}

/** A positional argument of a command. `T` is what `run` gets for it. */
export interface ArgumentSpec<T> {
  /** In commander's notation: `<name>`, `[name]` or `[name...]`. */
  readonly syntax: string
  readonly description: string
  readonly choices?: readonly string[]
  readonly read: (values: readonly string[]) => T
}

export type OptionSpecs<V> = { readonly [K in keyof V]: OptionSpec<V[K]> }
export type ArgumentSpecs<V> = { readonly [K in keyof V]: ArgumentSpec<V[K]> }
/** What `run` gets for these options. */
export type OptionValues<S> = S extends OptionSpecs<infer V> ? V : never

/** Reads what the user typed, by a command's declarations. */
export interface Given {
  arguments<A extends object>(specs: ArgumentSpecs<A> | undefined): A
  options<O extends object>(specs: OptionSpecs<O> | undefined): O
}

interface Declaration<A extends object, O extends object> {
  name: string
  aliases?: readonly string[]
  /** One line for the list of commands. */
  summary: string
  /** Replaces the summary in the command's own help. */
  description?: string
  isHidden?: boolean
  arguments?: ArgumentSpecs<A>
  options?: OptionSpecs<O>
  /** Help below the options. */
  details?: string
  examples?: readonly string[]
  /** Returns the exit code; nothing means 0. Loads its costly modules itself, because `--help` loads every declaration. */
  readonly run: (context: Context, args: NoInfer<A>, options: NoInfer<O>) => Promise<number | void>
}

/** A command without the types of its arguments and options, which only `execute` needs. */
export interface Command {
  readonly name: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly description: string
  readonly isHidden: boolean
  readonly arguments: readonly ArgumentSpec<unknown>[]
  readonly options: readonly AnyOption[]
  readonly details: string
  readonly examples: readonly string[]
  execute(context: Context, given: Given): Promise<number | void>
}

/** Commands with a common first word, such as `projects list` and `projects show`. */
export interface Noun {
  readonly name: string
  readonly aliases: readonly string[]
  readonly summary: string
  readonly description: string
  /** May stand anywhere behind the noun. A command that reads one declares it too. */
  readonly options: readonly AnyOption[]
  readonly commands: readonly (Command | Noun)[]
  /** Runs when the noun stands alone. Without it, that is wrong usage. */
  readonly standalone: Command | null
}

/** `parse` is left out: its second parameter makes OptionSpec invariant. */
export type AnyOption = Omit<OptionSpec<unknown>, 'parse'> & { parse?(value: string, previous: unknown): unknown }

export function defineCommand<A extends object, O extends object>(declaration: Declaration<A, O>): Command {
  return {
    name: declaration.name,
    aliases: declaration.aliases ?? [],
    summary: declaration.summary,
    description: declaration.description ?? `${declaration.summary}.`,
    isHidden: declaration.isHidden ?? false,
    arguments: Object.values(declaration.arguments ?? {}),
    options: Object.values(declaration.options ?? {}),
    details: declaration.details ?? '',
    examples: declaration.examples ?? [],
    execute: (context, given) =>
      declaration.run(context, given.arguments(declaration.arguments), given.options(declaration.options)),
  }
}

export function defineNoun(declaration: {
  name: string
  aliases?: readonly string[]
  summary: string
  description?: string
  options?: Readonly<Record<string, AnyOption>>
  commands: readonly (Command | Noun)[]
  standalone?: Command
}): Noun {
  return {
    name: declaration.name,
    aliases: declaration.aliases ?? [],
    summary: declaration.summary,
    description: declaration.description ?? `${declaration.summary}.`,
    options: Object.values(declaration.options ?? {}),
    commands: declaration.commands,
    standalone: declaration.standalone ?? null,
  }
}
