export { answer as GET } from '../../sandbox.js'
