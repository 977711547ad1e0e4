/** Words of Parley to a person whose conversation goes from an assistant to people, in the languages in which answers are judged. */

type Words = {
  /** A person continues soon. */
  soon: string
  /** The office is closed. */
  closed: string
  /** The assistant could not answer. */
  failed: string
}

const EN: Words = {
  soon: 'A colleague will continue here shortly.',
  closed: 'A colleague will answer here as soon as we are open again.',
  failed: 'Sorry, I could not answer that.',
}

const WORDS: Record<string, Words> = {
  en: EN,
  es: {
    soon: 'Un compañero continuará la conversación aquí en breve.',
    closed: 'Un compañero le responderá aquí en cuanto volvamos a abrir.',
    failed: 'Lo siento, no he podido responder a eso.',
  },
  pt: {
    soon: 'Um colega continuará a conversa aqui em breve.',
    closed: 'Um colega responderá aqui assim que voltarmos a abrir.',
    failed: 'Desculpe, não consegui responder a isso.',
  },
  fr: {
    soon: 'Un collègue va poursuivre la conversation ici sous peu.',
    closed: 'Un collègue vous répondra ici dès notre réouverture.',
    failed: 'Désolé, je n’ai pas pu répondre à cela.',
  },
  de: {
    soon: 'Eine Kollegin oder ein Kollege schreibt hier in Kürze weiter.',
    closed: 'Eine Kollegin oder ein Kollege antwortet hier, sobald wir wieder geöffnet haben.',
    failed: 'Entschuldigung, darauf konnte ich nicht antworten.',
  },
  it: {
    soon: 'Un collega proseguirà qui a breve.',
    closed: 'Un collega risponderà qui appena riapriremo.',
    failed: 'Mi dispiace, non ho potuto rispondere.',
  },
  nl: {
    soon: 'Een collega gaat hier zo verder.',
    closed: 'Een collega antwoordt hier zodra we weer open zijn.',
    failed: 'Sorry, daar kon ik geen antwoord op geven.',
  },
  pl: {
    soon: 'Wkrótce rozmowę przejmie tutaj nasz pracownik.',
    closed: 'Nasz pracownik odpowie tutaj, gdy tylko znów będziemy otwarci.',
    failed: 'Przepraszam, nie udało mi się na to odpowiedzieć.',
  },
  tr: {
    soon: 'Bir çalışma arkadaşımız kısa süre içinde buradan devam edecek.',
    closed: 'Yeniden açıldığımızda bir çalışma arkadaşımız buradan yanıt verecek.',
    failed: 'Üzgünüm, buna yanıt veremedim.',
  },
  ru: {
    soon: 'Скоро разговор здесь продолжит наш сотрудник.',
    closed: 'Наш сотрудник ответит здесь, как только мы снова откроемся.',
    failed: 'Извините, я не смог на это ответить.',
  },
  ar: {
    soon: 'سيكمل أحد زملائنا المحادثة هنا قريبًا.',
    closed: 'سيرد عليك أحد زملائنا هنا عندما نفتح من جديد.',
    failed: 'عذرًا، لم أتمكن من الإجابة عن ذلك.',
  },
  zh: {
    soon: '我们的同事很快会在这里继续为您服务。',
    closed: '我们恢复营业后，同事会在这里答复您。',
    failed: '抱歉，我无法回答这个问题。',
  },
  ja: {
    soon: 'まもなく担当者がこちらで対応いたします。',
    closed: '営業時間になりましたら、担当者がこちらでお返事いたします。',
    failed: '申し訳ございません。お答えすることができませんでした。',
  },
}

/** `language`: of the person, such as `es` or `es-MX`. English for one that is not known. */
export function handOverWords(
  language: string | null,
  { is_outside_hours, has_failed = false }: { is_outside_hours: boolean; has_failed?: boolean },
): string {
  const code = language?.toLowerCase().split('-')[0] ?? ''
  const words = Object.hasOwn(WORDS, code) ? WORDS[code]! : EN
  const continued = is_outside_hours ? words.closed : words.soon
  return has_failed ? `${words.failed} ${continued}` : continued
}
