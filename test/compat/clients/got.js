import got from 'got'
import { expectPets, headers, spendLimit, url } from './store.js'

await spendLimit()
expectPets(await got(url, { headers }).json())
