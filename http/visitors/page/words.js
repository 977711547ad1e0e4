/** The chat's own texts. */

/** @typedef {import('../page_types/words.ts').Words} Words */

/** @type {{ en: Words, [language: string]: Words }} */
const WORDS = {
  en: {
    language: 'en',
    open: 'Open chat',
    unread: (count) => (count === 1 ? '1 new message' : `${count} new messages`),
    close: 'Close chat',
    messages: 'Messages',
    older: 'Earlier messages',
    write: 'Write a message',
    send: 'Send',
    you: 'You',
    sending: 'Sending…',
    not_sent: 'Not sent',
    not_sent_yet: 'Not sent yet',
    states: {
      connecting: 'Connecting…',
      reconnecting: 'Reconnecting… What you write is sent then.',
      away: 'The chat cannot be reached right now. Keep this page open: what you write is sent as soon as it can be.',
      busy: 'Too many people of your network use the chat right now. It connects again in a moment.',
      held: 'That was a lot at once. The rest is sent in a moment.',
      off: 'The chat is closed at the moment.',
      refused: 'This chat is not available here.',
    },
    failures: {
      TOO_LONG: 'a message has at most 4096 characters',
      UNKNOWN_MESSAGE: 'the message it answers is not there any more',
      CHANNEL_NOT_FOUND: 'this chat is not available here',
    },
    react: 'React',
    files: {
      image: 'Picture',
      video: 'Video',
      audio: 'Audio',
      document: 'File',
      sticker: 'Sticker',
    },
    gone: 'This file is not available any more.',
    other: 'This message cannot be shown here.',
    offers: 'Offers',
  },
  es: {
    language: 'es',
    open: 'Abrir el chat',
    unread: (count) => (count === 1 ? '1 mensaje nuevo' : `${count} mensajes nuevos`),
    close: 'Cerrar el chat',
    messages: 'Mensajes',
    older: 'Mensajes anteriores',
    write: 'Escribe un mensaje',
    send: 'Enviar',
    you: 'Tú',
    sending: 'Enviando…',
    not_sent: 'No enviado',
    not_sent_yet: 'Aún no enviado',
    states: {
      connecting: 'Conectando…',
      reconnecting: 'Reconectando… Lo que escribas se enviará entonces.',
      away: 'Ahora mismo no se puede conectar con el chat. Deja esta página abierta: lo que escribas se enviará en cuanto sea posible.',
      busy: 'Ahora mismo hay demasiadas personas de tu red en el chat. Se volverá a conectar en un momento.',
      held: 'Han sido muchos mensajes a la vez. El resto se enviará en un momento.',
      off: 'El chat está cerrado en este momento.',
      refused: 'Este chat no está disponible aquí.',
    },
    failures: {
      TOO_LONG: 'un mensaje tiene como máximo 4096 caracteres',
      UNKNOWN_MESSAGE: 'el mensaje al que responde ya no está',
      CHANNEL_NOT_FOUND: 'este chat no está disponible aquí',
    },
    react: 'Reaccionar',
    files: {
      image: 'Imagen',
      video: 'Vídeo',
      audio: 'Audio',
      document: 'Archivo',
      sticker: 'Sticker',
    },
    gone: 'Este archivo ya no está disponible.',
    other: 'Este mensaje no se puede mostrar aquí.',
    offers: 'Ofertas',
  },
}

/** The texts in this language, or in English where there are none. */
export function wordsOf(language = navigator.language) {
  return WORDS[language.slice(0, 2).toLowerCase()] ?? WORDS.en
}
