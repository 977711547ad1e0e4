/** The module itself is served as `socket_io.js`, from the same release. */
export { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'
