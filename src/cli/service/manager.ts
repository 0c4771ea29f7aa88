import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { reasonOf } from '../../client/errors.ts'
import { PartialFailure } from '../exit.ts'
import type { Env } from '../io.ts'

type Command = readonly [string, ...string[]]

/** How the system starts and stops one service. */
export interface Manager {
  file: string
  content: string
  start: readonly Command[]
  stop: readonly Command[]
  /** After the file is removed. */
  forget: readonly Command[]
}

/** Returns the variables of this shell that a service needs. A token is a secret, so it stays out of the file. */
export function keptVariables(env: Env, names: readonly string[]): Record<string, string> {
  const kept = [...names, 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME']
  return Object.fromEntries(kept.flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])))
}

/** Returns how systemd or launchd runs a service of this user, or null if the system has neither. */
export function userManager(name: string, service: Service, env: Env): Manager | null {
  const home = env['HOME'] || homedir()
  if (process.platform === 'linux') {
    const folder = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'systemd', 'user')
    return systemdManager(join(folder, `${name}.service`), systemdUnit(service), ['--user'])
  }
  if (process.platform === 'darwin') {
    const file = join(home, 'Library', 'LaunchAgents', `${name}.plist`)
    const domain = `gui/${process.getuid?.() ?? 0}`
    return {
      file,
      content: launchdAgent(name, service),
      start: [['launchctl', 'bootstrap', domain, file]],
      stop: [['launchctl', 'bootout', `${domain}/${name}`]],
      forget: [],
    }
  }
  return null
}

/** `scope` is `--user` for a service of the user, and empty for one of the system. */
export function systemdManager(file: string, content: string, scope: readonly string[]): Manager {
  const unit = file.slice(dirname(file).length + 1)
  const reload: Command = ['systemctl', ...scope, 'daemon-reload']
  return {
    file,
    content,
    // A service that runs already has to be started again with its new options.
    start: [reload, ['systemctl', ...scope, 'enable', unit], ['systemctl', ...scope, 'restart', unit]],
    stop: [['systemctl', ...scope, 'disable', '--now', unit]],
    forget: [reload],
  }
}

/** Writes the file of a service and starts the service. */
export async function install({ file, content, start }: Manager): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
  try {
    for (const command of start) await run(command)
  } catch (error) {
    throw new PartialFailure(`${file} is written, but the service did not start: ${reasonOf(error)}`)
  }
}

/** Stops a service and removes its file. Returns false if there was no such file. */
export async function uninstall({ file, stop, forget }: Manager): Promise<boolean> {
  const failures: string[] = []
  const attempt = (command: Command) => run(command).catch((error: unknown) => failures.push(reasonOf(error)))
  for (const command of stop) await attempt(command)
  const wasThere = await rm(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
  if (!wasThere) return false
  for (const command of forget) await attempt(command)
  if (failures.length > 0) throw new PartialFailure(`${file} is removed, but the service may still run: ${failures[0]}`)
  return true
}

/** Throws an error with what the program printed. */
function run([command, ...args]: Command): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(command, args, (error, _, stderr) => {
      if (error === null) resolve()
      else reject(new Error(stderr.trim() || reasonOf(error)))
    })
  })
}

/** A program that the system starts. */
interface Service {
  description: string
  command: readonly string[]
  environment: Readonly<Record<string, string>>
}

/** Returns a systemd user unit (systemd.service(5)). */
function systemdUnit({ description, command, environment }: Service): string {
  return [
    '[Unit]',
    `Description=${percents(oneLine(description))}`,
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    execStart(command),
    'Restart=on-failure',
    'RestartSec=30',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n')
}

/** Returns the line of a unit that names its program. */
export function execStart(command: readonly string[]): string {
  return `ExecStart=${command.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}`
}

/** Quotes a word as systemd.syntax(7) says. */
function quoted(word: string): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
  return `"${percents(escaped)}"`
}

/** systemd replaces specifiers such as %h everywhere. */
function percents(text: string): string {
  return text.replaceAll('%', '%%')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

/** Returns a launchd agent (launchd.plist(5)). */
function launchdAgent(label: string, { command, environment }: Service): string {
  const text = (value: string) => `<string>${xml(value)}</string>`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${text(label)}`,
    '  <key>ProgramArguments</key>',
    `  <array>${command.map(text).join('')}</array>`,
    '  <key>EnvironmentVariables</key>',
    `  <dict>${Object.entries(environment)
      .map(([name, value]) => `<key>${xml(name)}</key>${text(value)}`)
      .join('')}</dict>`,
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>ThrottleInterval</key><integer>30</integer>',
    '</dict>',
    '</plist>',
    '',
  ].join('\n')
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
