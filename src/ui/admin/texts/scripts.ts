/** Texts of scripts that are written and run, in any area. */
import { catalogue } from './catalogue.js';

export const scriptTexts = catalogue(
  {
    'script.took': '{ms} ms',
    'script.noValue': 'No value.',
    'script.emptyList': 'An empty list.',
    'script.rows': '{n} rows',
    'script.more': 'Show {n} more',
    'script.json': 'JSON',
    'script.cut': 'The first {n} characters are shown.',
    'script.log': 'Log',
    'script.place': 'Line {line}, column {column}',
    'script.in': 'in {name}',
    'script.documentation': 'Documentation',
    'script.documentationHint': 'What is known of the function at the cursor stands here.',
    'script.example': 'Example',
    'script.keyword': 'Keyword',
  },
  {
    'script.took': '{ms} ms',
    'script.noValue': 'Kein Wert.',
    'script.emptyList': 'Eine leere Liste.',
    'script.rows': '{n} Zeilen',
    'script.more': '{n} weitere zeigen',
    'script.json': 'JSON',
    'script.cut': 'Gezeigt werden die ersten {n} Zeichen.',
    'script.log': 'Log',
    'script.place': 'Zeile {line}, Spalte {column}',
    'script.in': 'in {name}',
    'script.documentation': 'Dokumentation',
    'script.documentationHint': 'Hier steht, was über die Funktion an der Schreibmarke bekannt ist.',
    'script.example': 'Beispiel',
    'script.keyword': 'Schlüsselwort',
  },
);
