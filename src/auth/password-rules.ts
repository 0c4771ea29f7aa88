import { DocsearchError } from '../core/errors.ts'
import { PASSWORD_LENGTH } from '../core/model.ts'
import { normalise } from './passwords.ts'

const { min: MIN_LENGTH, max: MAX_LENGTH } = PASSWORD_LENGTH
const MAX_DECORATION = 10

/** Characters in an order that everyone knows: rows of keys, the alphabet, digits. */
const RUNS = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
]
const RUNS_BOTH_WAYS = RUNS.flatMap((run) => [run, [...run].toReversed().join('')])

/** Refuses passwords that attackers try first. Throws DocsearchError `password_too_short`, `password_too_long` or `password_too_common`. */
export function checkNewPassword(password: string, user: { email: string | null; name: string }): void {
  const text = normalise(password)
  const length = [...text].length
  if (length < MIN_LENGTH)
    throw new DocsearchError(
      'password_too_short',
      `A password needs at least ${MIN_LENGTH} characters. A few unrelated words make a good one.`,
    )
  if (length > MAX_LENGTH)
    throw new DocsearchError('password_too_long', `A password can have at most ${MAX_LENGTH.toLocaleString('en')} characters.`)
  if (isCommon(text.toLowerCase(), user))
    throw new DocsearchError(
      'password_too_common',
      'This password is too common, or is your own name or email address. Choose another one.',
    )
}

function isCommon(text: string, { email, name }: { email: string | null; name: string }): boolean {
  if (/^(.{1,4})\1+.{0,3}$/su.test(text)) return true
  const stripped = withoutDecoration(text)
  // A word with many random digits is a good password.
  const plain = text.length - stripped.length <= MAX_DECORATION ? stripped : text
  if (RUNS_BOTH_WAYS.some((run) => run.includes(text) || (plain.length > 2 && run.includes(plain)))) return true
  const own = [email, email?.split('@')[0], name, name.replaceAll(/\s/gu, '')].flatMap((part) =>
    part ? [normalise(part).toLowerCase()] : [],
  )
  return [text, plain, unleet(plain)].some((form) => COMMON_WORDS.has(form) || own.includes(form))
}

/** Removes what people put around a common word: a year, a number or an exclamation mark makes it no better. */
function withoutDecoration(text: string): string {
  return text.replace(/^[\d\p{P}\p{S}\s]+/u, '').replace(/[\d\p{P}\p{S}\s]+$/u, '')
}

/** Replaces digits and signs by the letters they look like. */
function unleet(text: string): string {
  const letters: Record<string, string> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's' }
  return text.replaceAll(/[013457@$]/g, (character) => letters[character] ?? character)
}

/** Common passwords and the words in them, in lower case. password-rules.ts also removes what people put around them. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  `
  password passwort passwords mypassword thepassword yourpassword newpassword oldpassword password-password passw0rd passwd pass
  passphrase passcode secret topsecret mysecret verysecret geheim default temporary temppassword changeme changethis changeit pleasechange
  change-me letmein letmeinplease letmeinnow openup opensesame sesame access accessgranted admin administrator adminadmin adminpassword
  administrador root rootroot toor superuser supervisor sysadmin system manager operator owner guest guestguest user username useruser testuser
  test testing testtest testpassword tester demo demodemo example sample login loginlogin logmein signin welcome welcomehome welcomeback
  willkommen bienvenue hello hellohello helloworld hellokitty goodbye hallo hallohallo bonjour salut ciao ciaociao qwerty qwertyqwerty
  qwertyui qwertyuiop qwertz qwertzuiop azerty azertyuiop asdf asdfasdf asdfgh asdfghjkl zxcvbn zxcvbnm yxcvbnm qweasd qweasdzxc qazwsx
  qazwsxedc zaqwsx qweqwe qwaszx wasd abc abcabc abcd abcdef abcdefg abcdefgh abcdefghij aaa xxx xxxxxx zzz iloveyou iloveu iloveyouso
  ilovehim iloveher ilovemyself ilovemymom iloveme loveyou lovelove loveme lovers mylove iubire ichliebedich teamo tequiero jetaime
  sunshine moonlight starlight sunflower rainbow summer winter spring autumn summertime christmas birthday monday friday january february
  september october november december princess prince queen king dragon dragons monkey monkeys tiger tigger lion eagle falcon phoenix panther
  butterfly dolphin elephant chicken kitten kitty puppy doggy buster charlie michael michelle jennifer jessica jordan ashley amanda andrew
  anthony daniel thomas robert william nicole samantha alexander alexandra elizabeth christian christopher stephanie benjamin patrick
  superman batman spiderman wonderwoman ironman captainamerica starwars startrek skywalker darthvader pokemon pikachu naruto minecraft
  fortnite football footballer baseball basketball volleyball softball hockey soccer tennis golfer liverpool liverpoolfc manchester
  manchesterunited chelsea arsenal barcelona realmadrid juventus yankees cowboys lakers steelers master masterpassword masterkey shadow
  freedom whatever trustno nothing something anything everything computer internet samsung google facebook microsoft windows apple linux
  ubuntu android server database network security oracle postgres mysql docker docsearch documents searchsearch jesus jesuschrist
  blessed godisgood godbless heaven angel angels forever forever-and-ever friends family mother father brother sister babygirl babyboy
  sweetheart darling beautiful handsome flower flowers chocolate cookie cookies cheese banana orange strawberry pepper ginger vanilla coffee
  killer hunter ranger soldier warrior matrix merlin wizard hacker hardcore fuckyou fuckme fuckoff asshole bitch biteme mustang ferrari
  porsche mercedes corvette camaro harley yamaha honda toyota money dollar million lucky winner champion number numberone
  correcthorsebatterystaple correct-horse-battery-staple troubador thequickbrownfox thisismypassword thisisapassword idontknow
  nopassword donotuse blahblah blablabla foobar foobarbaz loremipsum zaphod trinity mickeymouse
  `
    .trim()
    .split(/\s+/),
)
