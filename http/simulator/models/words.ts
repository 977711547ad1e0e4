/** The few words that the simulated model knows, in the languages of most questions. */

export type Language = 'en' | 'es' | 'de' | 'fr' | 'pt'

type Phrases = Record<'asked' | 'result' | 'nobody' | 'promise' | 'nothing' | 'see' | 'thanks' | 'file', string>

export const phrases: Record<Language, Phrases> = {
  en: {
    asked: 'You wrote:',
    result: 'I found this:',
    nobody: 'I cannot reach a colleague from here.',
    promise: 'I am handing you over to a colleague, who will write to you in a moment.',
    nothing: 'I have not said anything yet.',
    see: 'You find it here:',
    thanks: 'Thank you for your message. How can I help you today?',
    file: 'Thank you for the file.',
  },
  es: {
    asked: 'Usted escribió:',
    result: 'Encontré esto:',
    nobody: 'Desde aquí no puedo contactar a un colega.',
    promise: 'Le paso con un colega, que le escribirá en un momento.',
    nothing: 'Todavía no he dicho nada.',
    see: 'Lo encuentra aquí:',
    thanks: 'Gracias por su mensaje. ¿En qué puedo ayudarle hoy?',
    file: 'Gracias por el archivo.',
  },
  de: {
    asked: 'Sie schrieben:',
    result: 'Das habe ich gefunden:',
    nobody: 'Von hier aus erreiche ich niemanden.',
    promise: 'Ich gebe Sie an einen Kollegen weiter, der Ihnen gleich schreibt.',
    nothing: 'Ich habe noch nichts gesagt.',
    see: 'Sie finden es hier:',
    thanks: 'Vielen Dank für Ihre Nachricht. Wie kann ich Ihnen heute helfen?',
    file: 'Danke für die Datei.',
  },
  fr: {
    asked: 'Vous avez écrit :',
    result: 'J’ai trouvé ceci :',
    nobody: 'Je ne peux joindre personne d’ici.',
    promise: 'Je vous passe à un collègue, qui vous écrira dans un instant.',
    nothing: 'Je n’ai encore rien dit.',
    see: 'Vous le trouvez ici :',
    thanks: 'Merci pour votre message. Comment puis-je vous aider aujourd’hui ?',
    file: 'Merci pour le fichier.',
  },
  pt: {
    asked: 'Você escreveu:',
    result: 'Encontrei isto:',
    nobody: 'Daqui não consigo chamar um colega.',
    promise: 'Vou passar você a um colega, que escreverá em um instante.',
    nothing: 'Eu ainda não disse nada.',
    see: 'Você encontra aqui:',
    thanks: 'Obrigado pela sua mensagem. Como posso ajudar hoje?',
    file: 'Obrigado pelo arquivo.',
  },
}

const COMMON: Record<Exclude<Language, 'en'>, Set<string>> = {
  es: new Set(
    'hola el los las una está dónde donde cuándo cuánto qué mi pedido gracias por para con quiero tiene puedo hasta abren'.split(
      ' ',
    ),
  ),
  de: new Set(
    'der die das ich ist wo wann wie mein meine bitte nicht und ein eine habe hallo danke haben sie bestellung'.split(
      ' ',
    ),
  ),
  fr: new Set('le la les je est où quand comment mon ma bonjour merci pas une des vous commande avez'.split(' ')),
  pt: new Set(
    'o os as uma está onde quando quanto meu minha olá obrigado obrigada não você pedido tem posso'.split(' '),
  ),
}

/** The language with most of its common words, English without any. */
export function languageOf(text: string): Language {
  const words = wordsOf(text.slice(0, 2000))
  let best: Language = 'en'
  let most = 0
  for (const [language, common] of Object.entries(COMMON)) {
    const count = words.filter((word) => common.has(word)).length
    if (count > most) [best, most] = [language as Language, count]
  }
  return best
}

/** The line of `known` that shares most words of four letters and more with the question; at least two, or its only one of six and more. */
export function answerFrom(known: string, asked: string): string | undefined {
  const wanted = new Set(wordsOf(asked).filter((word) => word.length >= 4))
  const needed = wanted.size === 1 && [...wanted][0]!.length >= 6 ? 1 : 2
  let best: string | undefined
  let most = needed - 1
  for (const line of known.slice(0, 200_000).split(/\n|(?<=[.!?]) +/)) {
    const own = new Set(wordsOf(line))
    const shared = [...wanted].filter((word) => own.has(word)).length
    if (shared > most)
      [best, most] = [
        line
          .replace(/^[\s#>*"[\]{}-]+/, '')
          .trim()
          .slice(0, 1000),
        shared,
      ]
  }
  return best || undefined
}

/** The prose of a text: of JSON, its texts of several words. */
export function proseOf(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text
  const found: string[] = []
  try {
    JSON.parse(text, (_, value) => {
      if (typeof value === 'string' && value.includes(' ')) found.push(value)
      return value
    })
  } catch {
    return text
  }
  return found.join('\n')
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
