import axios from 'axios'
import axiosRetry, { exponentialDelay } from 'axios-retry'
import { expectPets, headers, url, useUpLimit } from './store.js'

axiosRetry(axios, { retryDelay: exponentialDelay })
await useUpLimit()
expectPets((await axios.get(url, { headers })).data)
