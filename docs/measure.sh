#!/usr/bin/env bash
# What docs/ladder.md is made of: measure.sh RUNG OUTDIR [NAME...] runs `RUNG bench` on this machine's GPU and leaves
# OUTDIR/NAME.json for each measurement, or for the NAMEs alone. It needs nothing but the binary.
# All of it takes some minutes of an H200. MAX_TIME is the most seconds of sampling a point (0.3, 30 of a ladder);
# COMMIT says what the binary was built from, where this is not a clone.
set -euo pipefail

if (($# < 2)); then
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
fi
rung=$1 out=$2
shift 2
wanted=("$@")
mkdir -p "$out"
commit=${COMMIT:-$(git -C "$(dirname "$0")" describe --always --dirty 2>/dev/null || true)}
known=() failed=()

measure() {
  local name=$1 before=$SECONDS status=0 most=0.3
  shift
  known+=("$name")
  if ((${#wanted[@]})) && [[ " ${wanted[*]} " != *" $name "* ]]; then return 0; fi
  [[ $name != *-ladder ]] || most=30  # a run of their slowest rung takes half a second
  "$rung" bench "$@" --mode graph --max-time "${MAX_TIME:-$most}" -d gpu --json "$out/$name.json" -q || status=$?
  echo "$name: $((SECONDS - before)) s" >&2
  if ((status)); then failed+=("$name"); fi
  if ((status > 1)); then return 0; fi  # 1: a kernel is wrong, which the report says
  local others
  others=$(grep -v "^$name " "$out/commits.txt" 2>/dev/null || true)
  printf '%s\n' "$others" "$name ${commit:-unknown}" | sed '/^$/d' | sort >"$out/commits.txt"
}

sizes=n=2^10:2^30:x4,1000003,2^28+1
types=dtype=i32,f32,f64,i8,f16,u64
measure reduce-ladder reduce -k ladder -n 2^28 --dtype f32 --acc same
measure reduce-sizes reduce --acc same -a "$sizes" -a "$types" -a op=sum,max
measure reduce-wide reduce --acc wide -a "$sizes" -a "$types" --op sum
measure argmax-sizes reduce --acc same -a "$sizes" -a "$types" --op argmax

shapes=67108864x4,8388608x32,1048576x256,262144x1024,32768x8192,4096x65536,256x1048576,16x16777216,4x67108864
measure axis reduce --acc same --dtype f32 -a "shape=$shapes,100003x2679" -a axis=0,1 -a op=sum,argmax
measure axis-middle reduce --acc same --dtype f32 --axis 1 -a op=sum,argmax \
  -a shape=512x512x1024,64x4096x1024,4096x256x256,65536x64x64,64x4095x1023

measure transpose-ladder transpose -k ladder --shape 16384x16384 --dtype f32
shapes=1024x1024,2048x2048,4096x4096,4100x4100,8192x8192,10000x10000,16384x16384,32768x32768,4097x8191,10001x10001
shapes+=,1000003x37,37x1000003,4000000x16,16x4000000,1x67108864,128x524288,524288x128
measure transpose-shapes transpose -a "shape=$shapes" -a dtype=f32,f64
measure transpose-types transpose -a dtype=u8,u16,f32,f64,c128 \
  -a shape=8192x16384,8191x16383,33554432x4,4x33554432,1x134217728
shapes=67108864x4,29826161x9,22369621x12,16777216x16,15790320x17,11184810x24,8388608x32,8134407x33,6710886x40
shapes+=,5592405x48,4473924x60,4260880x63
shapes+=,9x29826161,12x22369621,16x16777216,17x15790320,24x11184810,31x8659208,33x8134407,40x6710886,48x5592405
shapes+=,63x4260880,64x4194304,80x3355443,97x2767375,127x2113664,128x2097152
shapes+=,3158063x85,2097151x128,1052687x255,536869x500,268433x1000,134215x2000
shapes+=,129x2080893,200x1342080,255x1052687,400x670976,600x447391,1000x268433
measure transpose-bytes transpose --dtype u8 -a "shape=$shapes"
shapes=335543x100,335544x100,131585x255,131584x256,32735x1025,32768x1000
shapes+=,100x335543,100x335544,255x131585,256x131584,1025x32735,1000x32768
measure transpose-oblong transpose -a dtype=u16,f32,f64,c128 -a "shape=$shapes"
measure transpose-permutation-210 transpose --axes 2,1,0 --shape 64x1024x4096 -a dtype=u8,f32
measure transpose-permutation-102 transpose --axes 1,0,2 --shape 64x1024x4096 -a dtype=u8,f32

measure reverse-ladder reverse -k ladder -n 2^28 --dtype f32
measure reverse-sizes reverse -a n=2^20:2^30:x4,2^28+1 -a dtype=u8,u16,f32,f64,c128

for name in "${wanted[@]}"; do
  [[ " ${known[*]} " == *" $name "* ]] || { echo "no measurement '$name': ${known[*]}" >&2; exit 2; }
done
if ((${#failed[@]})); then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
