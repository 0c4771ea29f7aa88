/** A program that the system starts. */
export interface Service {
  description: string
  command: readonly string[]
  environment: Readonly<Record<string, string>>
}

/** Returns a systemd user unit (systemd.service(5)). */
export function systemdUnit({ description, command, environment }: Service): string {
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
export function launchdAgent(label: string, { command, environment }: Service): string {
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
