; How the program calls the software core: constants only, for both sides

SOFT_LOAD       = $46000  ; flat: where the file SOFTCORE goes, without its load address
SOFT_LIMIT      = $a000   ; its bytes and working space end this far behind it
SOFT_DOOR       = $1f00   ; the first 256 bytes of it are copied here; jsr SOFT_DOOR

; What stands in X at the call
SOFT_INIT       = 0       ; once after loading
SOFT_GO         = 2       ; start a job: SOFT_JOB = address of its first instruction
SOFT_PREPARE    = 4       ; start the rewriting of the image's weights, for speed
SOFT_RUN        = 6       ; work on what was started for about 40 ms
SOFT_ESTIMATE   = 8       ; how long will a token take?

; Parameters and results
SOFT_BLOCK      = $1fc0
SOFT_JOB        = $1fc0   ; 4 bytes
SOFT_STATE      = $1fc4   ; 0 idle, 1 busy
SOFT_ERROR      = $1fc5   ; SSN_ERR_... of the last job
SOFT_FAULT_PC   = $1fc8   ; 4 bytes: the instruction that went wrong,
SOFT_FAULT_ADDR = $1fcc   ; 4 bytes: and where, 0 = nowhere
SOFT_DONE       = $1fd0   ; 4 bytes: bytes of weights rewritten,
SOFT_TOTAL      = $1fd4   ; 4 bytes: of so many
SOFT_TIME       = $1fd8   ; 4 bytes: SOFT_ESTIMATE, in hundredths of a second
SOFT_POSITION   = $1fdc   ; 4 bytes: input for SOFT_ESTIMATE, the context's position
SOFT_FREE       = $1fe4   ; 4 bytes: memory behind the image is free up to here
