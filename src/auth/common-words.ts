/** Common passwords and the words in them, in lower case. password-rules.ts also removes what people put around them. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
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
