/** Words that say nothing about a text (`stopWords`; docs/interface/script-runtime.md 8.1). */

const WORDS = new Map(
  Object.entries({
    en:
      'a about above after again against all am an and any are as at be because been before being below between both but by can ' +
      'could did do does doing down during each few for from further had has have having he her here hers herself him himself ' +
      'his how i if in into is it its itself just me more most my myself no nor not now of off on once only or other our ours ' +
      'ourselves out over own same she should so some such than that the their theirs them themselves then there these they ' +
      'this those through to too under until up very was we were what when where which while who whom why will with would you ' +
      'your yours yourself yourselves',
    de:
      'aber als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin bis bist da damit dann das dass ' +
      'dein deine deinem deinen deiner dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch dort du ' +
      'durch ein eine einem einen einer eines er es etwas euch euer eure für gegen hab habe haben hat hatte hatten hier hin ' +
      'hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jene jetzt kann ' +
      'kein keine keinem keinen keiner können könnte machen man manche mein meine meinem meinen meiner mich mir mit muss musste ' +
      'nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner selbst sich sie sind so solche soll ' +
      'sollte sondern sonst über um und uns unser unsere unter viel vom von vor während war waren warst was weg weil weiter ' +
      'welche welcher wenn werde werden wie wieder will wir wird wirst wo wollen wollte würde würden zu zum zur zwar zwischen',
    fr:
      'à ai ainsi alors as au aucun aura aurait aussi autre aux avait avant avec avez avoir avons c ce ceci cela celle celles ' +
      'celui ces cet cette ceux chaque comme comment d dans de depuis des deux donc dont du elle elles en encore entre es est et ' +
      'étaient était été être eu eux fait furent il ils j je l la le les leur leurs lui m ma mais me même mes moi mon n ne ni nos ' +
      'notre nous on ont ou où par parce pas pendant peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui s sa ' +
      'sans se sera serait ses si sien son sont sous suis sur t ta te tes toi ton tous tout toute toutes très tu un une vos ' +
      'votre vous y',
    es:
      'a al algo algunas algunos ante antes aquel aquella como con contra cual cuales cuando de del desde donde dos durante e el ' +
      'él ella ellas ellos en entre era eran eres es esa esas ese eso esos esta está están estaba estar este esto estos estoy fue ' +
      'fueron fui ha había habían han has hasta hay he la las le les lo los más me mi mí mis mucho muchos muy nada ni no nos ' +
      'nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque que qué quien quienes se sea sean ser será ' +
      'si sí sido sin sobre sois somos son soy su sus también tanto te tengo tiene tienen todo todos tu tú tus un una unas uno ' +
      'unos vosotros y ya yo',
  }),
);

/** The stop words of a language (`en`, `en_US`); none of a language that is not known. */
export function stopWordsOf(language: string): string[] {
  const words = WORDS.get(/^[a-z]+/i.exec(language)?.[0].toLowerCase() ?? '');
  return words === undefined ? [] : words.split(' ');
}
