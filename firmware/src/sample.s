TOPK_MAX = 128
random_seed:
  rts
