import type { Language } from './stem.ts'

function list(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/))
}

/**
 * Function words, which say nothing about a subject. The English list is long on purpose: with question words and auxiliaries in it,
 * questions in full sentences rank better. The other lists have the most common function words, which is enough to tell the
 * languages apart. Words with an apostrophe (`don't`, `l'eau`) are listed in their pieces.
 */
export const STOP_WORDS: Readonly<Partial<Record<Language, ReadonlySet<string>>>> = {
  english: list(`
    a about above after again against all also am an and any are aren as at be because been before being below between both but
    by can cannot could couldn d did didn do does doesn doing don down during each either else ever few for from further had hadn
    has hasn have haven having he her here hers herself him himself his how however i if in into is isn it its itself just ll m
    may me might mightn more most much must mustn my myself neither no nor not now of off on once only or other ought our ours
    ourselves out over own please re s same shall shan she should shouldn so some such t than that the their theirs them themselves
    then there these they this those through thus to too under until up upon us ve very was wasn we were weren what whatever when
    where whether which while who whom whose why will with within without won would wouldn yet you your yours yourself yourselves`),
  german: list(`
    aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da damit dann das dass daß dem den
    denen der deren des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas
    für gegen gibt hab habe haben hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder
    jedes kann kein keine keinen können man mehr mein meine mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne sehr sein
    seine seinem seinen seiner seit sich sie sind so soll sollen sollte sondern sowie über um und uns unser unsere unter vom von vor wann
    war waren warum was weil welche welchem welchen welcher welches wenn wer werden wie wieder wieviel will wir wird wo wurde wurden würde zu
    zum zur zwischen`),
  french: list(`
    à afin ai ainsi alors après au aucun aussi autre aux avait avant avec avoir c ça car ce ceci cela celle celui ces cet cette ceux chaque
    chez combien comme comment d dans de depuis des donc dont du elle elles en encore entre es est et était étaient été être eu eux fait il
    ils j je l la le les leur leurs lors lorsque lui m ma mais me même mes mon n ne ni nos notre nous on ont ou où par parce pas pendant peut
    plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se selon sera ses si son sont sous sur t ta te tes ton tous
    tout toute toutes très tu un une vers vos votre vous y`),
  spanish: list(`
    a al algo algunos ante antes aquel así aunque cada como cómo con contra cual cuál cuales cuáles cuándo cuando cuánto cuántos de del desde
    donde dónde durante e el él ella ellas ellos en entre era eran es esa ese eso esos esta está están estas este esto estos fue fueron ha
    había han hasta hay la las le les lo los más me mi mientras muy ni no nos nosotros o otra otras otro otros para pero por porque que qué
    quien quién se sea según ser si sí sido sin sobre son su sus también tan tanto te tiene tienen todo todos tu un una uno unos y ya yo`),
  italian: list(`
    a ad agli ai al alla alle allo anche avere aveva c che chi ci ciò come con cosa cui d da dagli dai dal dalla dalle dallo degli dei del
    della delle dello di dopo dove durante e è ed era erano essere fino fra fu furono gli ha hanno i il in io l la le lei lo loro lui ma mentre
    mi molto ne né negli nei nel nella nelle nello noi non o ogni oltre per perché più po poi prima può qual quale quali quando quanti quanto
    quella quelle quelli quello questa queste questi questo se si sia sono stata stato su sua sue sugli sui sul sulla sulle suo suoi tra tutti
    tutto un una uno voi`),
  portuguese: list(`
    a à ao aos aquela aquele as às até com como da das de dela dele delas deles depois do dos e é ela elas ele eles em entre era eram essa
    esse esta está estão este eu foi foram há isso isto já lhe mais mas mesmo muito na não nas nem no nos nós num numa o os ou onde para pela
    pelas pelo pelos por porque qual quais quando quanto quantos que quem são se sem ser seu seus só sobre sua suas também tem têm ter um uma
    você`),
  dutch: list(`
    aan al alle als andere bij binnen daar dan dat de deze die dit door dus een en er geen had hadden hebben heeft het hij hoe hoeveel hun ik
    in is je kan kon kunnen maar me meer men met mijn moet moeten na naar niet nog nu of om onder ons ook op over te tegen ten tot tussen uit
    van vanaf veel voor waar waarom wanneer waren was wat we welk welke werd werden wie wij wordt worden zal ze zich zij zijn zo zonder zou`),
  swedish: list(`
    alla att av blev bli blir de dem den denna deras dess dessa det detta dig din ditt du där efter ej eller en ett från för ha hade han har
    hon hur här i icke inom inte jag kan kommer kunde man med mellan men mot mycket ni nu när någon något några och om oss på samma sedan sig sin
    sina sitt ska skulle som så till under upp ut utan vad var vara varför vem vi vid vilka vilken är`),
  danish: list(`
    ad af alle at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en er et for fra få havde han hans
    har hende her hun hvad hvem hvilke hvilken hvis hvor hvordan hvorfor i ikke ind jeg kan kunne man mange med meget mellem men mig min mod
    nogle noget nu når og også om op os over på sig skal skulle som så til ud under var ved vi vil være været`),
  norwegian: list(`
    alle at av ble bli blir da de dem den denne der deres det dette disse du eller en er et etter for fra få hadde han har her hun hva hvem
    hvilke hvilken hvis hvor hvordan hvorfor i ikke inn jeg kan kunne man mange med meg mellom men min mot må noe noen nå når og også om opp oss
    over på seg sin skal skulle som så til under ut var ved vi vil være vært å`),
  finnish: list(`
    ei eivät eli ennen että he hän ja jo joka jonka jos joissa jossa jota jotka kanssa koska kuin kuinka kun me mihin mikä miksi milloin minkä
    missä mistä mitä mutta myös ne niiden niin nyt oli olivat olla on ovat paitsi se sekä sen siitä sille sitä tai tämä tämän vai vain voi`),
  hungarian: list(`
    a az abban ahol aki akik amely amelyek ami amikor annak arra azok azt be benne csak de e egy egyes egyik el ez ezek ezen ezt és fel hogy
    hogyan hol hány ha igen is itt ki kell le lehet lesz lett még meg mely melyik mert mi miért mikor mit milyen mint minden már nem nincs olyan
    ott s sem szerint több ugyan után vagy van vannak volt voltak`),
  romanian: list(`
    a al ale am ar are au că când care cât câte ce cea cei cel cele cine cu cum de decât deci din doar după ea ei el este eu fi fie fost iar în
    îi își îl între la le lor lui mai nici nu o oricare ori pe pentru prin sa să sau se spre sub sunt un unde unei unor unui vor și`),
  turkish: list(`
    ama ancak bir biri bu bunu bunun da daha de değil diye en gibi göre hangi hem hep her hiç için idi ile ilgili ise kadar kaç ki kim mi mı
    mu mü ne neden nerede nasıl o olan olarak oldu olduğu olur onlar onun sonra şey şu tarafından tüm üzere var ve veya ya yok`),
  russian: list(`
    а без более был была были было быть в вам вас весь во вот все всего вы где да для до его ее если есть еще же за здесь и из или им их к как
    какая какие какой когда который которая которые которых кто куда ли между меня мне может мы на над надо наш не него нее нет ни них но о об
    однако он она они оно от очень по под после при про с свой себя сколько со так также такой там те тем то того тоже только том тот ту ты у
    уже что чтобы чем эта эти это этого этой этом этот я`),
}
